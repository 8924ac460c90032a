import { Button, Checkbox, Group, NumberInput, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import type { ChannelIds } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { CONTROL_WORDS } from './control-words.ts'

const DEFAULT_SECONDS = 60
const MAX_SECONDS = 86_400
const MAX_PRESET = 255

type Home = { readonly enabled: boolean; readonly resetTime: number; readonly presetIndex: number }

/** The preset to which a camera goes back by itself. */
export function HomePosition({ channel, isAsked }: { readonly channel: ChannelIds; readonly isAsked: boolean }) {
  const console = useConsole()
  const { api } = console
  const words = console.words(CONTROL_WORDS)
  const params = { deviceId: channel.deviceId, channelId: channel.channelId }
  const operation = 'GET /gb28181/api/home_position/{deviceId}/{channelId}'
  // Older devices can be told one, and not be asked for it.
  const { data } = console.useCall(isAsked ? operation : undefined, { params })
  const [changed, setChanged] = useState<Home>()
  const home = changed ?? data?.data ?? { enabled: false, resetTime: DEFAULT_SECONDS, presetIndex: 1 }
  const save = () => {
    const { enabled, resetTime, presetIndex } = home
    const body = { enabled, resetTime, presetIndex }
    return console.change(
      () => api.call('POST /gb28181/api/home_position/{deviceId}/{channelId}', { params, body }),
      words.told,
    )
  }
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        {words.home}
      </Title>
      <Checkbox
        label={words.homeEnabled}
        checked={home.enabled}
        onChange={({ currentTarget }) => setChanged({ ...home, enabled: currentTarget.checked })}
      />
      <Group gap="xs" align="flex-end">
        <NumberInput
          size="xs"
          w={90}
          label={words.homePreset}
          min={0}
          max={MAX_PRESET}
          value={home.presetIndex}
          onChange={(value) => setChanged({ ...home, presetIndex: Number(value) || 0 })}
        />
        <NumberInput
          size="xs"
          label={words.homeSeconds}
          min={0}
          max={MAX_SECONDS}
          value={home.resetTime}
          onChange={(value) => setChanged({ ...home, resetTime: Number(value) || 0 })}
        />
        <Button size="xs" variant="default" onClick={() => void save()}>
          {words.save}
        </Button>
      </Group>
    </Stack>
  )
}
