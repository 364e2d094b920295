/** Packages in the bundle, so that a start searches no modules. Empty without a bundle: bundling replaces this module. */

/** Loads the main module of a package, by its {@link bundleKey}. */
export const bundledPackages: Readonly<Record<string, () => Promise<unknown>>> = {}
