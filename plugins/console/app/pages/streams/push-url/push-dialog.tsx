import { Autocomplete, Group, Modal, SegmentedControl, Select, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { cleanPath, pushProtocols } from './push-addresses.ts'
import { PushLines } from './push-lines.tsx'
import { PUSH_WORDS } from './push-words.ts'

type Props = { readonly console: Console<Paths>; readonly onClose: () => void }

const TYPING_PAUSE_MS = 300
const DEFAULT_EXPIRY = '86400'

/** Makes an address for a publisher, which the server lets in. */
export default function PushDialog({ console, onClose }: Props) {
  const { StreamPicker, Problem } = console.components
  const words = console.words(PUSH_WORDS)
  const [chosen, setChosen] = useState<string>()
  const [writtenPath, setPath] = useState('live/test')
  const [host, setHost] = useState(location.hostname)
  const [expiry, setExpiry] = useState(DEFAULT_EXPIRY)
  const system = console.useCall('GET /api/sysinfo')
  const plugins = system.data?.data.plugins
  const protocols = useMemo(() => pushProtocols(plugins ?? []), [plugins])
  const protocol = protocols.find(({ label }) => label === chosen) ?? protocols[0]

  const [streamPath] = useDebouncedValue(cleanPath(writtenPath), TYPING_PAUSE_MS)
  const plugin = protocol?.plugin
  // The end is counted from when something was chosen: an address that is shown does not change by itself.
  const expire = useMemo(() => Math.floor(Date.now() / 1000) + Number(expiry), [expiry, streamPath, plugin])
  const maySign = console.user.mayChange
  const signing = console.useCall(
    maySign && plugin !== undefined && streamPath !== '' ? 'GET /api/stream/signedquery/{streamPath}' : undefined,
    { params: { streamPath }, query: { plugin: plugin ?? '', action: 'publish', expire } },
  )
  const signed = signing.isLoading ? undefined : signing.data?.data
  const query = maySign ? signed?.query : {}
  const hosts = [location.hostname, system.data?.data.publicIP ?? '', system.data?.data.localIP ?? '']

  return (
    <Modal
      lockScroll={false}
      opened
      onClose={onClose}
      size="xl"
      title={<Text fw={600}>{words.title}</Text>}
      closeButtonProps={{ 'aria-label': '×' }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {words.text}
        </Text>
        {system.error !== undefined && <Problem error={system.error} onRetry={() => void system.refresh()} />}
        {plugins !== undefined && protocols.length === 0 && <Text>{words.noProtocol}</Text>}
        {plugins === undefined ? (
          <Skeleton height={36} />
        ) : (
          <Group>
            <SegmentedControl
              aria-label={words.protocol}
              data={protocols.map(({ label }) => label)}
              value={protocol?.label ?? ''}
              onChange={setChosen}
            />
          </Group>
        )}
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <StreamPicker label={words.streamPath} value={writtenPath} onChange={setPath} />
          <Autocomplete
            label={words.host}
            value={host}
            onChange={setHost}
            data={[...new Set(hosts)].filter((one) => one !== '')}
          />
          <Select
            label={words.expiry}
            value={expiry}
            onChange={(value) => setExpiry(value ?? DEFAULT_EXPIRY)}
            data={Object.entries(words.expiries).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
          />
        </SimpleGrid>
        {signing.error !== undefined && <Problem error={signing.error} onRetry={() => void signing.refresh()} />}
        {protocol !== undefined && streamPath !== '' && query !== undefined && (
          <PushLines
            console={console}
            protocol={protocol}
            target={{ host: host.trim(), streamPath, query }}
            expire={signed?.expire}
          />
        )}
      </Stack>
    </Modal>
  )
}
