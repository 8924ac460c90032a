import { ActionIcon, Anchor, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core'
import { DownloadIcon, XIcon } from '@primer/octicons-react'
import { useEffect, useState } from 'react'
import { useConsole } from '../console-context.ts'
import { RECORDINGS_WORDS } from './recordings-words.ts'

const REFRESH_MS = 1000
const RUNNING: ReadonlySet<string> = new Set(['pending', 'downloading'])

/** The stream as which a download is kept, for the gates. */
const streamOf = (id: string) => `gb_download/${id}`

export type DownloadsProps = { readonly ids: readonly string[]; readonly onForget: (id: string) => void }

/** Downloads from a device into the recordings of the server, with how far they are. */
export function Downloads({ ids, onForget }: DownloadsProps) {
  const words = useConsole().words(RECORDINGS_WORDS)
  if (ids.length === 0) return null
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        {words.downloads}
      </Title>
      {ids.map((id) => (
        <Download key={id} id={id} onForget={() => onForget(id)} />
      ))}
    </Stack>
  )
}

function Download({ id, onForget }: { readonly id: string; readonly onForget: () => void }) {
  const console = useConsole()
  const { api, format } = console
  const words = console.words(RECORDINGS_WORDS)
  const operation = 'GET /gb28181/api/download/progress/{downloadId}'
  const input = { params: { downloadId: id } }
  const [isRunning, setRunning] = useState(true)
  const { data, error } = console.useCall(operation, input, isRunning ? { refreshMs: REFRESH_MS } : {})
  const download = data?.data
  useEffect(() => setRunning(download === undefined || RUNNING.has(download.status)), [download])
  const [address, setAddress] = useState<string>()
  const url = download?.status === 'completed' ? download.downloadUrl : ''
  useEffect(() => {
    if (url === '') return
    void console.change(async () => setAddress(await api.mediaUrl(url, { plugin: 'mp4', streamPath: streamOf(id) })))
  }, [api, console, url, id])
  const [startSeconds = 0, endSeconds = 0] = id.split('_').slice(-2).map(Number)
  const fault = error?.message ?? download?.error
  return (
    <Paper withBorder p="xs">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" truncate>
          {format.time(startSeconds * 1000)} · {format.duration((endSeconds - startSeconds) * 1000)}
        </Text>
        <Group gap="xs" wrap="nowrap">
          {download !== undefined && address !== undefined && (
            <Anchor size="sm" href={address} download>
              <DownloadIcon size={14} /> {words.save} ({format.bytes(Number(download.totalBytes))})
            </Anchor>
          )}
          <Text size="sm" c="dimmed">
            {download === undefined ? '' : (words.states[download.status] ?? download.status)}
          </Text>
          <ActionIcon size="sm" variant="subtle" color="gray" aria-label={words.forget} onClick={onForget}>
            <XIcon size={14} />
          </ActionIcon>
        </Group>
      </Group>
      {download !== undefined && isRunning && (
        <Progress.Root mt={6}>
          <Progress.Section value={download.progress} aria-label={words.states['downloading'] ?? ''} />
        </Progress.Root>
      )}
      {fault !== undefined && fault !== '' && (
        <Text size="sm" c="red">
          {fault}
        </Text>
      )}
    </Paper>
  )
}
