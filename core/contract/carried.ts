/**
 * Reasoning items of `/v1/responses` that the gateway wrote: their `encrypted_content` begins with this, and no vendor
 * can read it. A provider that has the endpoint itself leaves such items out.
 */
export const carriedMark = 'gateway.'
