/** A replay of 2,000 requests whose process is killed three times. */
import { runWithKills } from '../plugins/replays/kill-run.ts'

const kills = 3

describe('a replay of 2,000 requests whose process is killed', () => {
  it('has every pair exactly once', async () => {
    const run = { requests: 2000, kills, concurrency: 16, affordable: null }
    const { pairs, calls, entries } = await runWithKills(run)
    console.log(`      ${kills} kills: ${pairs} pairs, ${calls} upstream calls, ${entries} log entries`)
  })
})
