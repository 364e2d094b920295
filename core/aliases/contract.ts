/** `@gateway/core/contract`, for packages that were written before `@gateway/contract`. */
export * from '@gateway/contract'
