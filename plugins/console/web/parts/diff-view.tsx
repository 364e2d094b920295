import { diffLines } from './diff.ts'

const signs = { same: '  ', removed: '- ', added: '+ ' } as const

/** Two texts in one view that marks removed and added lines. */
export const DiffView = ({ label, before, after }: { label: string; before: string; after: string }) => (
  <pre class="diff" tabIndex={0} role="region" aria-label={label}>
    {diffLines(before, after).map(({ kind, text }, index) => (
      <span key={index} class={kind}>
        {`${signs[kind]}${text}\n`}
      </span>
    ))}
  </pre>
)
