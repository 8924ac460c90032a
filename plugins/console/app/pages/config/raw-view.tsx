import { Code, Modal, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { CONFIG_WORDS } from './config-words.ts'

const PARTS = ['merged', 'file', 'modified'] as const

type Props = { readonly console: Console<Paths>; readonly name: string; readonly onClose: () => void }

/** A section as YAML, with masks in place of its secrets. */
export function RawView({ console, name, onClose }: Props) {
  const words = console.words(CONFIG_WORDS)
  const { Problem } = console.components
  const { data, error, refresh } = console.useCall('GET /api/config/get/{name}', { params: { name } })
  const [part, setPart] = useState<(typeof PARTS)[number]>('merged')
  const text = data?.data[part]
  return (
    <Modal
      opened
      onClose={onClose}
      title={words.yamlTitle(name)}
      size="lg"
      closeButtonProps={{ 'aria-label': words.cancel }}
    >
      <Stack gap="sm">
        <SegmentedControl
          value={part}
          onChange={(value) => setPart(PARTS.find((one) => one === value) ?? 'merged')}
          data={PARTS.map((value) => ({ value, label: words.yamlParts[value] }))}
          aria-label={words.yaml}
        />
        {error !== undefined && <Problem error={error} onRetry={() => void refresh()} />}
        {text === undefined && error === undefined && <Skeleton height={320} />}
        {text === '' && <Text c="dimmed">{words.empty}</Text>}
        {text !== undefined && text !== '' && (
          <Code block tabIndex={0}>
            {text}
          </Code>
        )}
      </Stack>
    </Modal>
  )
}
