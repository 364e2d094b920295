/**
 * Bytes that depend on values which come again together, such as a span's name and most of its attributes. They are made once
 * for each combination, and found again by following its values through a tree, whose branches mostly have one value.
 */

export type RepeatedValue = string | number | boolean | null

interface Branch {
  /** The value that came first, and what follows it. */
  value: RepeatedValue
  next: Branch | null
  /** What follows other values. */
  others: Map<RepeatedValue, Branch> | null
  /** Of the combination that ends here. */
  bytes: Buffer | null
}

/** Branches that are kept, of all combinations, and how long their texts may be. */
const maxBranches = 20_000
const maxTextLength = 100

const emptyBranch = (): Branch => ({ value: null, next: null, others: null, bytes: null })

/** @param make the bytes of a combination */
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

  /** Where the value is not the first one of its branch. */
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
