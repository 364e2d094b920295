/** Writes the planned files, and adds their former values to the record of the connection. */
import { join } from 'node:path'
import type { FilePlan } from './plan.ts'
import { hashOf, type WrittenFile, writePrivate } from './record.ts'

export async function writePlans(
  home: string,
  plans: readonly FilePlan[],
  earlier: readonly WrittenFile[],
): Promise<WrittenFile[]> {
  const written: WrittenFile[] = []
  for (const plan of plans) {
    if (plan.changes.length > 0) await writePrivate(join(home, plan.file.file), plan.after)
    written.push(
      recordOf(
        plan,
        earlier.find(({ file }) => file === plan.file.file),
      ),
    )
  }
  return written.filter(({ values }) => values.length > 0)
}

function recordOf({ file, before, after, changes }: FilePlan, earlier: WrittenFile | undefined): WrittenFile {
  const values = new Map((earlier?.values ?? []).map((value) => [JSON.stringify(value.path), value]))
  for (const change of changes) {
    const id = JSON.stringify(change.path)
    // Undoing restores the values that the earlier connection replaced.
    const replaced = values.get(id)?.before
    values.set(id, {
      path: change.path,
      before: replaced === undefined ? change.before : replaced,
      hash: hashOf(change.after),
    })
  }
  // The whole former text can be restored only if the file has not been edited since.
  const isOnlyOurs = earlier === undefined || hashOf(before ?? '') === earlier.hash
  return {
    file: file.file,
    before: earlier === undefined ? before : earlier.before,
    hash: isOnlyOurs ? hashOf(after) : '',
    values: [...values.values()],
  }
}
