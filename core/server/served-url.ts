/** The alias of `/v1`, for clients that write it: all code behind the listener sees the path itself. */
const alias = '/openai/v1/'
const named = '/v1/'

/** The URL of a request as routes have it. */
export const servedUrl = (url: string): string =>
  url.startsWith(alias) ? named + url.slice(alias.length) : url
