/**
 * A short sound for a text: a quiet tone per word, in a WAV file with the text as its comment, so that the echo can
 * transcribe it.
 * Reference: RIFF WAVE with a `LIST`/`INFO` chunk,
 * https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html
 */

const samplesPerSecond = 8000
/** A twentieth of a second, in samples. */
const samplesPerTone = 400
const mostTones = 200

/** 16-bit samples, one channel; equal words give equal samples. */
export function samplesOf(words: readonly string[]): Buffer {
  const tones = words.slice(0, mostTones)
  const samples = Buffer.alloc(Math.max(1, tones.length) * samplesPerTone * 2)
  for (const [index, word] of tones.entries()) {
    const hertz = 220 + ((word.trim().length * 55) % 660)
    for (let at = 0; at < samplesPerTone; at += 1) {
      const value = Math.round(4000 * Math.sin((2 * Math.PI * hertz * at) / samplesPerSecond))
      samples.writeInt16LE(value, (index * samplesPerTone + at) * 2)
    }
  }
  return samples
}

/** A WAV file of samples, with a comment. */
export function waveFile(samples: Buffer, comment: string): Buffer {
  const info = chunk('LIST', Buffer.concat([Buffer.from('INFO'), chunk('ICMT', Buffer.from(`${comment}\0`))]))
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(samplesPerSecond, 4)
  format.writeUInt32LE(samplesPerSecond * 2, 8)
  format.writeUInt16LE(2, 12)
  format.writeUInt16LE(16, 14)
  const parts = [Buffer.from('WAVE'), chunk('fmt ', format), chunk('data', samples), info]
  return chunk('RIFF', Buffer.concat(parts))
}

/** Chunks are padded to an even length. */
function chunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

/** The comment of a file created by {@link waveFile}; null for any other file. */
export function readComment(file: Buffer): string | null {
  const isWave = file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WAVE'
  const list = isWave ? findChunk(file.subarray(12), 'LIST') : null
  const comment = list === null ? null : findChunk(list.subarray(4), 'ICMT')
  return comment?.toString('utf8').replace(/\0+$/, '') ?? null
}

function findChunk(chunks: Buffer, name: string): Buffer | null {
  for (let at = 0; at + 8 <= chunks.length; ) {
    const length = chunks.readUInt32LE(at + 4)
    if (chunks.toString('latin1', at, at + 4) === name) return chunks.subarray(at + 8, at + 8 + length)
    at += 8 + length + (length % 2)
  }
  return null
}
