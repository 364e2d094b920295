/** The batch engine as replays use it: they plan requests, compare meanings, and read log entries. */
import type { Engine } from '@gateway/batches/engine'

export type ReplayEngine = Engine<'embeddingModel' | 'logs' | 'planInference' | 'sealer'>
