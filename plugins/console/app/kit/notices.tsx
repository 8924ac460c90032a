import { Notification, Stack } from '@mantine/core'
import { CheckIcon, XIcon } from '@primer/octicons-react'
import { useSyncExternalStore } from 'react'
import { KIT_WORDS } from './kit-words.ts'
import { useWords } from './language.ts'

type Notice = { readonly id: number; readonly text: string; readonly kind: 'done' | 'failed' }

const SHOWN_MS = { done: 4000, failed: 10_000 }
const MAX_SHOWN = 4

let notices: readonly Notice[] = []
let lastId = 0
const listeners = new Set<() => void>()

function setNotices(next: readonly Notice[]): void {
  notices = next
  for (const listener of listeners) listener()
}

/** Shows a notice for some seconds. */
export function notify(text: string, kind: Notice['kind'] = 'done'): void {
  lastId += 1
  const id = lastId
  setNotices([...notices, { id, text, kind }].slice(-MAX_SHOWN))
  setTimeout(() => remove(id), SHOWN_MS[kind])
}

/** Does a change and says how it went; see `change` of the sdk. */
export async function change(action: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await action()
    if (done !== undefined) notify(done)
    return true
  } catch (error) {
    notify(error instanceof Error ? error.message : String(error), 'failed')
    return false
  }
}

function remove(id: number): void {
  setNotices(notices.filter((notice) => notice.id !== id))
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The notices that are shown now, at the lower edge. */
export function Notices() {
  const words = useWords(KIT_WORDS)
  const shown = useSyncExternalStore(listen, () => notices)
  return (
    <Stack
      gap="xs"
      pos="fixed"
      bottom={16}
      right={16}
      maw="calc(100vw - 32px)"
      style={{ zIndex: 400 }}
      aria-live="polite"
    >
      {shown.map(({ id, text, kind }) => (
        <Notification
          key={id}
          withBorder
          color={kind === 'done' ? 'teal' : 'red'}
          icon={kind === 'done' ? <CheckIcon /> : <XIcon />}
          closeButtonProps={{ 'aria-label': words.close }}
          onClose={() => remove(id)}
        >
          {text}
        </Notification>
      ))}
    </Stack>
  )
}
