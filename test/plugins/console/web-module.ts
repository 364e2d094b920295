/** Loads a module of the console's pages without a browser, for tests of its pure functions. */
import { join } from 'node:path'
import { build } from 'esbuild'

const folder = join(import.meta.dirname, '../../../../plugins/console/web')

/**
 * @param path path below the pages' folder
 * @returns the module's exports, whose types are declared by the pages
 */
export async function loadWebModule<Exports>(path: string): Promise<Exports> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, path)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'error',
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error(`${path} was not built.`)
  return (await import(`data:text/javascript;base64,${Buffer.from(file.text).toString('base64')}`)) as Exports
}
