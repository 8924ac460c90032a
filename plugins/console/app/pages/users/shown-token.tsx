import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { WORDS } from './users-words.ts'

type Props = { readonly token: string; readonly words: (typeof WORDS)['en']; readonly onClose: () => void }

/** A token that was just made, to be copied. */
export function ShownToken({ token, words, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(token)
    } catch {
      // Without TLS, browsers have no clipboard but for what is selected.
      field.current?.select()
      document.execCommand('copy')
    }
    setCopied(true)
  }
  return (
    <Alert color="teal" title={words.tokenOnce}>
      <Stack gap="sm">
        <TextInput ref={field} value={token} readOnly aria-label={words.newToken} ff="monospace" maw={520} />
        <Group gap="xs">
          <Button size="xs" onClick={() => void copy()}>
            {isCopied ? words.copied : words.copy}
          </Button>
          <Button size="xs" variant="default" onClick={onClose}>
            {words.close}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
