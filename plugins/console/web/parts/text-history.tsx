/** One undo history for a text that several parts of a page change, such as a tree and the JSON behind it. */
import { createContext } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface TextHistory {
  canUndo: boolean
  canRedo: boolean
  undo: () => void
  redo: () => void
  /** A change that is a separate step of undo. */
  set: (text: string) => void
}

/** Text that is typed without a pause is undone in one step. */
const pauseMs = 700

/** @param write changes the text; what others write is recorded as well */
export function useTextHistory(text: string, write: (text: string) => void): TextHistory {
  const { current: state } = useRef({ past: [] as string[], future: [] as string[], shown: text, typedAt: 0 })
  const [, redraw] = useState(0)
  const show = (next: string, typedAt: number) => {
    state.shown = next
    state.typedAt = typedAt
    redraw((count) => count + 1)
  }
  useLayoutEffect(() => {
    if (text === state.shown) return
    const isTyping = Date.now() - state.typedAt < pauseMs
    // An empty text is one that has not been loaded.
    if (!isTyping && state.shown !== '') state.past.push(state.shown)
    state.future = []
    show(text, state.shown === '' ? 0 : Date.now())
  }, [text])
  const step = (from: string[], to: string[]) => {
    const next = from.pop()
    if (next === undefined) return
    to.push(state.shown)
    show(next, 0)
    write(next)
  }
  return {
    canUndo: state.past.length > 0,
    canRedo: state.future.length > 0,
    undo: () => step(state.past, state.future),
    redo: () => step(state.future, state.past),
    set: (next) => {
      if (next === state.shown) return
      state.past.push(state.shown)
      state.future = []
      show(next, 0)
      write(next)
    },
  }
}

/** The history that a page shares with its JSON editor; null: the editor has its own. */
export const HistoryContext = createContext<TextHistory | null>(null)
