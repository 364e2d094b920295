/**
 * Caches bytes by a combination of values, such as a span's name and most of its attributes. The cache is a tree with one
 * level per value; most branches have a single value, which one comparison finds.
 */

export type RepeatedValue = string | number | boolean | null

interface Branch {
  /** The first value seen here, and the branch below it. */
  value: RepeatedValue
  next: Branch | null
  /** The branches below other values. */
  others: Map<RepeatedValue, Branch> | null
  /** The bytes of the combination that ends here. */
  bytes: Buffer | null
}

/** The most branches in the tree, and the longest text that is cached. */
const maxBranches = 20_000
const maxTextLength = 100

const emptyBranch = (): Branch => ({ value: null, next: null, others: null, bytes: null })

/** @param make creates the bytes of a combination */
export function repeatedBytes<Of>(
  values: readonly ((of: Of) => RepeatedValue)[],
  make: (of: Of) => Buffer,
): (of: Of) => Buffer {
  let root = emptyBranch()
  let branches = 0

  function grow(): Branch {
    branches += 1
    return emptyBranch()
  }

  /** The branch below a value that is not the first one seen there. */
  function follow(branch: Branch, value: RepeatedValue): Branch {
    if (branch.next === null) {
      branch.value = value
      branch.next = grow()
      return branch.next
    }
    branch.others ??= new Map()
    let next = branch.others.get(value)
    if (next === undefined) {
      next = grow()
      branch.others.set(value, next)
    }
    return next
  }

  return (of) => {
    if (branches > maxBranches) {
      root = emptyBranch()
      branches = 0
    }
    let branch = root
    for (const read of values) {
      const value = read(of)
      if (branch.next !== null && branch.value === value) branch = branch.next
      else if (typeof value === 'string' && value.length > maxTextLength) return make(of)
      else branch = follow(branch, value)
    }
    branch.bytes ??= make(of)
    return branch.bytes
  }
}
