/**
 * Module hooks for packages that are being worked on: a module that was imported with `?generation=N` passes the same
 * on to what it imports by a relative path, so that a package is loaded anew as a whole.
 * https://nodejs.org/docs/latest-v20.x/api/module.html#customization-hooks
 */
import type { ResolveHook } from 'node:module'

export const generationKey = 'generation'

export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const resolved = await nextResolve(specifier, context)
  if (context.parentURL === undefined || !specifier.startsWith('.')) return resolved
  if (!URL.canParse(context.parentURL) || !resolved.url.startsWith('file:')) return resolved
  const generation = new URL(context.parentURL).searchParams.get(generationKey)
  if (generation === null) return resolved
  const url = new URL(resolved.url)
  url.searchParams.set(generationKey, generation)
  return { ...resolved, url: url.href }
}
