/** The name of a package's main module in the bundle: its path below the checkout, with slashes on every system. */
import nodePath, { type PlatformPath } from 'node:path'

/** @param path of the system on which it runs; the bundle may have been built on another one */
export const bundleKey = (
  checkout: string,
  entry: string,
  path: Pick<PlatformPath, 'relative' | 'sep'> = nodePath,
): string => path.relative(checkout, entry).replaceAll(path.sep, '/')
