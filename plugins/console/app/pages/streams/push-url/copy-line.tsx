import { ActionIcon, Code, Group, Text } from '@mantine/core'
import { CheckIcon, CopyIcon } from '@primer/octicons-react'
import { useEffect, useRef, useState } from 'react'
import type { PUSH_WORDS } from './push-words.ts'

type Props = { readonly label: string; readonly text: string; readonly words: (typeof PUSH_WORDS)['en'] }

const SHOWN_MS = 2000

/** A text with its name, and a button that copies it. */
export function CopyLine({ label, text, words }: Props) {
  const shown = useRef<HTMLElement>(null)
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <div>
      <Text size="sm" fw={550} mb={2}>
        {label}
      </Text>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Code ref={shown} block tabIndex={0} aria-label={label} style={SHOWN_STYLE}>
          {text}
        </Code>
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={words.copy(label)}
          onClick={() => void copy(text, shown.current).then(setCopied)}
        >
          {isCopied ? <CheckIcon /> : <CopyIcon />}
        </ActionIcon>
      </Group>
      <Text size="xs" role="status" style={{ position: 'absolute', clipPath: 'inset(50%)' }}>
        {isCopied ? words.copied : ''}
      </Text>
    </div>
  )
}

const SHOWN_STYLE = { flex: 1, minWidth: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const

/** Copies a text, which is selected too, and can be copied by hand where a page may not do it. */
async function copy(text: string, element: HTMLElement | null): Promise<boolean> {
  if (element !== null) getSelection()?.selectAllChildren(element)
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // There is no clipboard on plain HTTP, but for localhost; the older command works there.
    return document.execCommand('copy')
  }
}
