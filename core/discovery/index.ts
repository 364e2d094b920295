/** Finds packages, loads them, and keeps what they offer in one registry. */
export { checkout, directoriesNamed, discover } from './discover.ts'
export { emptyParts, registerPackage } from './register.ts'
export { type DiscoveryFault, keylessNames } from './registry.ts'
export { type WatchedPackages, watchPackages } from './watch-packages.ts'
