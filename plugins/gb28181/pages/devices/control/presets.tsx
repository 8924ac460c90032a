import { ActionIcon, Button, Group, NumberInput, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { SyncIcon } from '@primer/octicons-react'
import { useState } from 'react'
import type { ChannelIds } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { DETAIL_WORDS } from '../detail-words.ts'
import { CONTROL_WORDS } from './control-words.ts'

const MAX_PRESET = 255
const MAX_NAME = 64

export type PresetsProps = { readonly channel: ChannelIds; readonly mayMove: boolean; readonly hasNames: boolean }

/** The presets of a camera: those that it tells of, and any by its number. */
export function Presets({ channel, mayMove, hasNames }: PresetsProps) {
  const console = useConsole()
  const words = console.words(CONTROL_WORDS)
  const { refresh: refreshText } = console.words(DETAIL_WORDS)
  const { ConfirmButton } = console.components
  const params = { deviceId: channel.deviceId, channelId: channel.channelId }
  const { data, error, refresh } = console.useCall('GET /gb28181/api/preset/query/{deviceId}/{channelId}', { params })
  const [number, setNumber] = useState(1)
  const [name, setName] = useState('')

  const call = (presetId: number) =>
    console.change(() =>
      console.api.call('GET /gb28181/api/preset/call/{deviceId}/{channelId}', { params, query: { presetId } }),
    )
  const set = async () => {
    const query = { presetId: number, ...(hasNames && name.trim() !== '' && { presetName: name.trim() }) }
    const done = words.presetSet(number)
    const input = { params, query }
    await console.change(() => console.api.call('GET /gb28181/api/preset/{deviceId}/{channelId}', input), done)
    await refresh()
  }
  const remove = async (presetId: number) => {
    const done = words.presetDeleted(presetId)
    const input = { params, query: { presetId } }
    await console.change(() => console.api.call('GET /gb28181/api/preset/delete/{deviceId}/{channelId}', input), done)
    await refresh()
  }
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Title order={3} size="h6">
          {words.presets}
        </Title>
        <ActionIcon
          size="sm"
          variant="subtle"
          aria-label={`${refreshText}: ${words.presets}`}
          onClick={() => void refresh()}
        >
          <SyncIcon size={14} />
        </ActionIcon>
      </Group>
      {error !== undefined && (
        <Text size="sm" c="dimmed">
          {error.message}
        </Text>
      )}
      {data === undefined && error === undefined && <Skeleton height={30} />}
      {data?.presets.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.noPresets}
        </Text>
      )}
      <Group gap="xs">
        {data?.presets.map(({ presetId, presetName }) => {
          const shown = words.presetOf(presetId, presetName)
          return (
            <Button.Group key={presetId}>
              <Button
                size="xs"
                variant="default"
                disabled={!mayMove}
                aria-label={words.goTo(shown)}
                onClick={() => void call(presetId)}
              >
                {shown}
              </Button>
              <ConfirmButton
                label={words.deletePreset(shown)}
                question={words.deletePresetQuestion(shown)}
                onConfirm={() => remove(presetId)}
                isDisabled={!mayMove}
              >
                ×
              </ConfirmButton>
            </Button.Group>
          )
        })}
      </Group>
      {mayMove && (
        <Group gap="xs" align="flex-end">
          <NumberInput
            size="xs"
            w={110}
            label={words.preset}
            min={1}
            max={MAX_PRESET}
            value={number}
            onChange={(value) => setNumber(Number(value) || 1)}
          />
          {hasNames && (
            <TextInput
              size="xs"
              w={120}
              label={words.presetName}
              maxLength={MAX_NAME}
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
          <Button size="xs" variant="default" onClick={() => void call(number)}>
            {words.go}
          </Button>
          <Button size="xs" variant="default" onClick={() => void set()}>
            {words.setHere}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
