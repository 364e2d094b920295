/** Progress of long commands: a bar on a terminal, and lines where the output goes to a file or a log. */
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { startProgress } from '#core/cli/progress'
import { terminal } from './support.ts'

/** A screen of 80 columns that keeps what is drawn on it. */
function screen() {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 })
  let text = ''
  stream.on('data', (piece) => {
    text += String(piece)
  })
  return { stream, text: () => text }
}

describe('the progress of a long command', () => {
  it('is a line at every tenth where no person watches', async () => {
    const io = terminal()
    const progress = await startProgress(io, 'Exporting records', 2000)
    for (let index = 0; index < 2000; index += 1) progress.advance()
    progress.end()
    const lines = io.errors.trim().split('\n')
    expect(lines).to.have.lengthOf(10)
    expect(lines[0]).to.equal('Exporting records: 200 of 2000 (10 %)')
    expect(lines[9]).to.equal('Exporting records: 2000 of 2000 (100 %)')
    expect(io.output).to.equal('')
  })

  it('counts steps of several records', async () => {
    const io = terminal()
    const progress = await startProgress(io, 'Rotating', 1200)
    for (const count of [500, 500, 200]) progress.advance(count)
    expect(io.errors).to.equal(
      'Rotating: 500 of 1200 (40 %)\nRotating: 1000 of 1200 (80 %)\nRotating: 1200 of 1200 (100 %)\n',
    )
  })

  it('is a bar with an estimate on a terminal', async () => {
    const { stream, text } = screen()
    const io = { ...terminal(), progressStream: stream }
    const progress = await startProgress(io, 'Importing records', 4000)
    progress.advance(4000)
    progress.end()
    expect(text()).to.include('Importing records').and.include('4000 of 4000').and.match(/left/)
    expect(text()).to.include('100 %')
    expect(io.errors).to.equal('')
  })

  it('is not shown for work that is done at once', async () => {
    const io = terminal()
    const progress = await startProgress(io, 'Exporting records', 999)
    progress.advance(999)
    progress.end()
    expect(io.errors).to.equal('')
  })
})
