/** `@gateway/core/domain`, for packages that were written before `@gateway/domain`. */
export * from '@gateway/domain'
