import { Accordion, Alert, Box, Group, Slider, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useEffect } from 'react'
import type { NamedChannel } from '../channel.ts'
import { useConsole } from '../console-context.ts'
import { CameraSwitches } from './camera-switches.tsx'
import { CONTROL_WORDS } from './control-words.ts'
import { HomePosition } from './home-position.tsx'
import { LensButtons } from './lens-buttons.tsx'
import { MAX_SPEED } from './motion.ts'
import { Presets } from './presets.tsx'
import { PtzPad } from './ptz-pad.tsx'
import { Snapshot } from './snapshot.tsx'
import { Tours } from './tours.tsx'
import { useMotion } from './use-motion.ts'

const SPEED_KEY = 'sluice.gb28181.speed'
const DEFAULT_SPEED = 5

export type ControlTabProps = {
  readonly channel: NamedChannel
  readonly isOnline: boolean
  /** True for a device of the standard of 2022. */
  readonly isNewer: boolean
}

/** The camera of a channel: its directions and lens, presets, tours, and what else it can be told. */
export function ControlTab({ channel, isOnline, isNewer }: ControlTabProps) {
  const console = useConsole()
  const words = console.words(CONTROL_WORDS)
  const [speed, setSpeed] = useLocalStorage({ key: SPEED_KEY, defaultValue: DEFAULT_SPEED })
  const control = useMotion(channel, speed)
  const { mayChange } = console.user
  const isDisabled = !isOnline || !mayChange
  const { stop } = control
  useEffect(() => {
    if (isDisabled) stop()
  }, [isDisabled, stop])
  return (
    <Stack gap="md">
      {!isOnline && <Alert color="gray">{words.offline}</Alert>}
      {!mayChange && <Alert color="gray">{words.looking}</Alert>}
      <Group gap="lg" align="flex-start">
        <PtzPad control={control} isDisabled={isDisabled} />
        <LensButtons control={control} isDisabled={isDisabled} />
        <Box w={170}>
          <Text size="sm" mb={4}>
            {words.speed}
          </Text>
          <Slider
            thumbLabel={words.speed}
            min={1}
            max={MAX_SPEED}
            step={1}
            value={speed}
            onChange={setSpeed}
            disabled={isDisabled}
          />
        </Box>
      </Group>
      {isOnline && <Presets channel={channel} mayMove={!isDisabled} hasNames={isNewer} />}
      {!isDisabled && (
        <>
          <Tours channel={channel} />
          <Accordion variant="contained" order={3}>
            <Accordion.Item value="more">
              <Accordion.Control>{words.more}</Accordion.Control>
              <Accordion.Panel>
                <Stack>
                  <CameraSwitches channel={channel} />
                  {isNewer && <Snapshot channel={channel} />}
                  <HomePosition channel={channel} isAsked={isNewer} />
                </Stack>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        </>
      )}
    </Stack>
  )
}
