import { Group, Stack, Text, ThemeIcon } from '@mantine/core'
import { CheckIcon, CircleSlashIcon, DownloadIcon, UploadIcon, XIcon, type Icon } from '@primer/octicons-react'
import type { Kind, Proxy } from './proxy.ts'
import type { WORDS } from './proxies-words.ts'

const COLORS = ['red', 'blue', 'teal', 'gray'] as const

/** The icons by `status`. */
function iconOf(status: number, kind: Kind): Icon {
  const icons = [XIcon, CheckIcon, kind === 'pull' ? DownloadIcon : UploadIcon, CircleSlashIcon]
  return icons[status] ?? CircleSlashIcon
}

type Props = { readonly proxy: Proxy; readonly kind: Kind; readonly words: (typeof WORDS)['en'] }

/** The state of a proxy, and what is wrong with it. */
export function ProxyState({ proxy: { status, error }, kind, words }: Props) {
  const StateIcon = iconOf(status, kind)
  return (
    <Stack gap={2} maw={320}>
      <Group gap={8} wrap="nowrap">
        <ThemeIcon variant="light" size={22} radius="xl" color={COLORS[status] ?? 'gray'}>
          <StateIcon size={12} />
        </ThemeIcon>
        <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
          {words.states[kind][status]}
        </Text>
      </Group>
      {error !== '' && (
        <Text size="xs" c="dimmed" lineClamp={2} title={error}>
          {error}
        </Text>
      )}
    </Stack>
  )
}
