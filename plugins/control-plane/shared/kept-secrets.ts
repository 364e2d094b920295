/** The faults of a write that would keep secrets with a changed destination: masks, and omitted members. */

/** At the path of a secret that would be sent to another place. */
export const isKeptElsewhere =
  'must be given again: this write changes where it is sent (its provider, host, URL or tenant)'

/** At the path of a mask in a list or a tree. */
export const isStrayMask =
  'is a mask, and stands for no stored secret that is sent to the same place: give the secret itself'
