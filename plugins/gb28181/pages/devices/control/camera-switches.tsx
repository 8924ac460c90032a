import { Button, Group, NumberInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ChannelIds } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { CONTROL_WORDS } from './control-words.ts'

const MAX_SWITCH = 255
const FIRST_OTHER_SWITCH = 2

/** Wiper, other switches, keyframes, and recording on the device. */
export function CameraSwitches({ channel: { deviceId, channelId } }: { readonly channel: ChannelIds }) {
  const console = useConsole()
  const { api } = console
  const words = console.words(CONTROL_WORDS)
  const [switchId, setSwitchId] = useState(FIRST_OTHER_SWITCH)
  const params = { deviceId, channelId }
  const tell = (action: () => Promise<unknown>) => void console.change(action, words.told)
  const wiper = (command: 'on' | 'off') =>
    tell(() => api.call('GET /gb28181/api/wiper/{deviceId}/{channelId}', { params, query: { command } }))
  const auxiliary = (command: 'on' | 'off') => {
    const input = { params, query: { command, switchId } }
    tell(() => api.call('GET /gb28181/api/auxiliary/{deviceId}/{channelId}', input))
  }
  const record = (cmdType: 'Record' | 'RecordStop') => {
    const input = { params: { cmdType, ...params } }
    tell(() => api.call('GET /gb28181/api/recording/{cmdType}/{deviceId}/{channelId}', input))
  }
  return (
    <Stack gap="xs">
      <Pair title={words.wiper} on={words.on} off={words.off} onOn={() => wiper('on')} onOff={() => wiper('off')} />
      <Group gap="xs" align="flex-end">
        <NumberInput
          size="xs"
          w={130}
          label={words.auxiliary}
          min={1}
          max={MAX_SWITCH}
          value={switchId}
          onChange={(value) => setSwitchId(Number(value) || 1)}
        />
        <Pair
          title={words.auxiliary}
          isTitled={false}
          on={words.on}
          off={words.off}
          onOn={() => auxiliary('on')}
          onOff={() => auxiliary('off')}
        />
      </Group>
      <Pair
        title={words.recordOnDevice}
        on={words.start}
        off={words.stop}
        onOn={() => record('Record')}
        onOff={() => record('RecordStop')}
      />
      <Button
        size="xs"
        variant="default"
        style={{ alignSelf: 'flex-start' }}
        onClick={() => tell(() => api.call('GET /gb28181/api/i_frame/{deviceId}/{channelId}', { params }))}
      >
        {words.keyframe}
      </Button>
    </Stack>
  )
}

type PairProps = {
  readonly title: string
  readonly isTitled?: boolean
  readonly on: string
  readonly off: string
  readonly onOn: () => void
  readonly onOff: () => void
}

/** Two buttons, of which the one switches something on and the other off. */
function Pair({ title, isTitled = true, on, off, onOn, onOff }: PairProps) {
  return (
    <Group gap="xs">
      {isTitled && (
        <Text size="sm" w={130}>
          {title}
        </Text>
      )}
      <Button size="xs" variant="default" aria-label={`${title}: ${on}`} onClick={onOn}>
        {on}
      </Button>
      <Button size="xs" variant="default" aria-label={`${title}: ${off}`} onClick={onOff}>
        {off}
      </Button>
    </Group>
  )
}
