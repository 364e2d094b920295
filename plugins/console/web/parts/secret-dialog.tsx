/** Shows a secret once: a new key, a token, or the link of an invite. */
import type { ComponentChildren } from 'preact'
import { CopyButton } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'

interface Props {
  title: string
  label: string
  secret: string
  onClose: () => void
  /** Explains what to do with the secret. */
  children: ComponentChildren
}

export const SecretDialog = ({ title, label, secret, onClose, children }: Props) => (
  <Dialog title={title} onClose={onClose}>
    <p>{children}</p>
    <TextField label={label} value={secret} onChange={() => undefined} isReadOnly />
    <div class="buttons">
      <CopyButton text={secret} />
      <button type="button" class="primary" onClick={onClose}>
        Done
      </button>
    </div>
  </Dialog>
)
