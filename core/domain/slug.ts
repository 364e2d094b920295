/** Keys of named objects, in the config file and in the management API. */
export const slugPattern = '^[A-Za-z0-9_-]{1,255}$'
