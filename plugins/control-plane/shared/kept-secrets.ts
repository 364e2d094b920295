/** The errors of a write that would send stored secrets to a changed destination: masks, and omitted members. */

/** An error at the path of a secret that would be sent to another destination. */
export const isKeptElsewhere =
  'must be sent again because this write changes its destination (provider, host, URL or tenant)'

/** An error at the path of a mask in a list or a tree. */
export const isStrayMask =
  'is a masked value without a stored secret for the same destination: send the secret itself'
