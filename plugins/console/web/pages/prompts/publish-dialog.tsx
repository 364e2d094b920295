/** Asks before a version of a prompt with test cases is published, and shows which of them pass or fail on it. */
import { useEffect } from 'preact/hooks'
import { Alert } from '../../parts/alert.tsx'
import { Badge } from '../../parts/cells.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import type { TestCase } from '../../parts/expected.tsx'
import type { TestRuns } from './test-runs.tsx'

interface Props {
  version: number
  isRollback: boolean
  cases: readonly TestCase[]
  runs: TestRuns
  onPublish: () => void
  onClose: () => void
}

export function PublishDialog({ version, isRollback, cases, runs, onPublish, onClose }: Props) {
  useEffect(() => {
    const missing = cases.filter((one) => runs.resultOf(version, one) === undefined)
    if (missing.length > 0) void runs.run([version], missing)
  }, [])
  const results = cases.map((one) => ({ one, result: runs.resultOf(version, one) }))
  const failed = results.filter(({ result }) => (result?.failures.length ?? 0) > 0)
  const open = results.filter(({ result }) => result === undefined)
  const names = failed.map(({ one }) => one.name).join(', ')
  const action = isRollback ? 'Roll back' : 'Publish'
  return (
    <Dialog
      title={isRollback ? `Roll back to version ${version}?` : `Publish version ${version}?`}
      onClose={onClose}
    >
      {failed.length > 0 && (
        <Alert>{`${failed.length} of ${cases.length} test cases fail on version ${version}: ${names}.`}</Alert>
      )}
      <p role="status">
        {open.length > 0
          ? `Running the test cases: ${cases.length - open.length} of ${cases.length} done.`
          : failed.length === 0
            ? `All test cases pass on version ${version} (${cases.length}).`
            : ''}
      </p>
      <ul class="outcomes">
        {results.map(({ one, result }, index) => (
          <li key={index}>
            {result === undefined ? (
              <Badge tone="plain">not run yet</Badge>
            ) : result.failures.length === 0 ? (
              <Badge tone="good">passed</Badge>
            ) : (
              <Badge tone="bad">failed</Badge>
            )}{' '}
            {one.name}
            {result?.failures.map((failure) => (
              <p key={failure} class="fault">
                {failure}
              </p>
            ))}
          </li>
        ))}
      </ul>
      <div class="buttons">
        <button type="button" class={failed.length > 0 ? 'danger' : 'primary'} onClick={onPublish}>
          {failed.length > 0 ? `${action} anyway` : open.length > 0 ? `${action} without waiting` : action}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}
