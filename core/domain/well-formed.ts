/** The text without halves of a surrogate pair, which no UTF-8 has. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD')
