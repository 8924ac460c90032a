import { Button, Stack, Text, Textarea } from '@mantine/core'
import { CheckIcon, CopyIcon } from '@primer/octicons-react'
import { useRef, useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { configOf, hasMask, type Change } from './changes.ts'
import { CONFIG_WORDS } from './config-words.ts'
import { yamlText } from './yaml.ts'

type Props = { readonly console: Console<Paths>; readonly name: string; readonly changes: readonly Change[] }

/** The changes as lines for the config file. */
export function FileLines({ console, name, changes }: Props) {
  const words = console.words(CONFIG_WORDS)
  const field = useRef<HTMLTextAreaElement>(null)
  const [isCopied, setCopied] = useState(false)
  const written = changes.filter(({ to }) => to !== null)
  const text = written.length === 0 ? '' : yamlText({ [name]: configOf(written) })
  const ofEnvironment = written.filter(({ leaf }) => leaf.layers.some(({ source }) => source === 'env'))
  const copy = async () => {
    // Browsers have a clipboard for pages that came by TLS or from this machine; others can copy what is selected.
    if (navigator.clipboard !== undefined) await navigator.clipboard.writeText(text)
    else {
      field.current?.select()
      document.execCommand('copy')
    }
    setCopied(true)
  }
  return (
    <Stack gap="xs">
      {written.length > 0 && (
        <>
          <Textarea
            ref={field}
            label={words.yamlText}
            value={text}
            readOnly
            autosize
            maxRows={20}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', whiteSpace: 'pre' } }}
          />
          <Button
            size="xs"
            variant="light"
            style={{ alignSelf: 'flex-start' }}
            leftSection={isCopied ? <CheckIcon /> : <CopyIcon />}
            onClick={() => void copy()}
          >
            {isCopied ? words.copied : words.copy}
          </Button>
        </>
      )}
      {hasMask(configOf(written)) && <Text size="sm">{words.yamlMask}</Text>}
      {ofEnvironment.length > 0 && (
        <Text size="sm">{words.yamlEnv(ofEnvironment.map(({ leaf }) => leaf.path).join(', '))}</Text>
      )}
      {written.length < changes.length && <Text size="sm">{words.yamlTakenBack}</Text>}
    </Stack>
  )
}
