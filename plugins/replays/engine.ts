/**
 * The batch engine with the capabilities that replays add: planning requests, comparing meanings, and reading log
 * entries.
 */
import type { Engine } from '@gateway/batches/engine'

export type ReplayEngine = Engine<'embeddingModel' | 'logs' | 'planInference' | 'sealer'>
