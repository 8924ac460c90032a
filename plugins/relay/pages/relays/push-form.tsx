import { Autocomplete, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Paths } from 'sluice/api'
import type { Console } from 'sluice/sdk/console'
import { WORDS } from './form-words.ts'
import { fieldOf } from './pull-values.ts'

const PROTOCOLS = ['rtmp', 'rtsp', 'srt', 'webrtc']

type Props = {
  readonly console: Console<Paths>
  readonly onClose: () => void
  readonly onBegun: () => Promise<void>
}

/** The form of a push. */
export function PushForm({ console, onClose, onBegun }: Props) {
  const words = console.words(WORDS)
  const { FormDialog, StreamPicker } = console.components
  const [streamPath, setStreamPath] = useState('')
  const [remoteURL, setRemoteUrl] = useState('')
  const [protocol, setProtocol] = useState('')
  const begin = async () => {
    const body = { streamPath, remoteURL: remoteURL.trim(), ...(protocol !== '' && { protocol }) }
    await console.api.call('POST /api/stream/push', { body })
    console.notify(words.pushBegun)
    await onBegun()
  }
  return (
    <FormDialog title={words.push} submitText={words.begin} isLong fieldOf={fieldOf} onSubmit={begin} onClose={onClose}>
      {(refusalOf) => (
        <>
          <StreamPicker
            label={words.streamPath}
            description={words.pushPathText}
            value={streamPath}
            onChange={setStreamPath}
            {...refusalOf('streamPath')}
          />
          <TextInput
            label={words.target}
            placeholder="rtmp://live.example.com/app/KEY"
            required
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            value={remoteURL}
            onChange={({ currentTarget }) => setRemoteUrl(currentTarget.value)}
            {...refusalOf('remoteURL')}
          />
          <Autocomplete
            label={words.protocol}
            description={words.protocolText}
            data={PROTOCOLS}
            value={protocol}
            onChange={setProtocol}
            {...refusalOf('protocol')}
          />
          <Text size="xs" c="dimmed">
            {words.once}
          </Text>
        </>
      )}
    </FormDialog>
  )
}
