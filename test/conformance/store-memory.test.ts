/** The store in memory: the suites of all stores. */
import { createMemoryStore } from '#store/memory/index'
import { describeStore } from './store.ts'
import { describeBlobs } from './stores/blobs.ts'
import { describeDocuments } from './stores/documents.ts'
import { describeLog } from './stores/log.ts'
import { describeVectors } from './stores/vectors.ts'
import { describeWork } from './stores/work.ts'

const open = () => createMemoryStore({ maxEntries: 100, maxBytes: 100_000 })

describeStore('in memory', async () => [open()])

describe('the stores in memory', () => {
  const store = open()
  describeDocuments('in memory', async () => [store.documents])
  // A separate log for each test: it keeps the newest 10,000 entries.
  describeLog('in memory', async () => [open().log])
  describeBlobs('in memory', async () => [store.blobs])
  describeVectors('in memory', async () => [store.vectors])
  describeWork('in memory', async () => [store.work])
})
