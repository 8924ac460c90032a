import { ActionIcon, Card, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { MuteIcon, PlayIcon, ScreenFullIcon, SquareFillIcon, UnmuteIcon } from '@primer/octicons-react'
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { PlayerProps } from 'sluice/sdk/console'
import { useWords } from '../language.ts'
import type { Transport } from './engine.ts'
import { PlayerFigures } from './player-figures.tsx'
import { PlayerNotice } from './player-notice.tsx'
import { PLAYER_WORDS } from './player-words.ts'
import styles from './player.module.css'
import { TRANSPORTS } from './transports.ts'
import { useFigures } from './use-figures.ts'
import { usePlayback } from './use-playback.ts'

const CHOICES = Object.entries(TRANSPORTS).map(([value, { label }]) => ({ value, label }))

export default function Player({ streamPath, isPlain = false }: PlayerProps) {
  const words = useWords(PLAYER_WORDS)
  const picture = useRef<HTMLDivElement>(null)
  const video = useRef<HTMLVideoElement>(null)
  const [chosen, setChosen] = useState<Transport>()
  const [isOn, setOn] = useState(true)
  const [isSilent, setSilent] = useState(true)
  const [attempt, setAttempt] = useState(0)
  const { state, playback } = usePlayback(video, { streamPath, transport: chosen, isOn, attempt })
  const figures = useFigures(video, isPlain ? undefined : playback, streamPath)
  const shownTransport = state?.transport ?? chosen ?? 'webrtc'

  const toggleSound = () => {
    if (video.current !== null) video.current.muted = !isSilent
    setSilent(!isSilent)
  }
  const fullScreen = () => {
    if (document.fullscreenElement !== null) void document.exitFullscreen()
    else void picture.current?.requestFullscreen().catch(() => undefined)
  }
  const keys: Readonly<Record<string, () => void>> = { ' ': () => setOn(!isOn), m: toggleSound, f: fullScreen }
  const keyPressed = (event: KeyboardEvent<HTMLElement>) => {
    const action = keys[event.key]
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    action()
  }

  const screen = (
    <div ref={picture} className={isPlain ? styles.plain : styles.picture} onDoubleClick={fullScreen}>
      <video
        ref={video}
        className={styles.video}
        muted
        autoPlay
        playsInline
        tabIndex={isPlain ? undefined : 0}
        aria-label={words.player(streamPath)}
        onVolumeChange={({ currentTarget }) => setSilent(currentTarget.muted)}
        onKeyDown={isPlain ? undefined : keyPressed}
      />
      <PlayerNotice
        state={isOn ? state : undefined}
        isStopped={!isOn}
        isPlain={isPlain}
        onRetry={() => setAttempt(attempt + 1)}
      />
    </div>
  )
  if (isPlain) return screen
  const passedOver = (state?.passedOver ?? []).map((one) =>
    words.passedOver(TRANSPORTS[one.transport].label, one.reason),
  )
  return (
    <Card withBorder padding={0}>
      {screen}
      <Stack gap="xs" p="sm">
        <Group justify="space-between" gap="xs">
          <Group gap={4}>
            <ControlButton label={isOn ? words.stop : words.play} onClick={() => setOn(!isOn)}>
              {isOn ? <SquareFillIcon /> : <PlayIcon />}
            </ControlButton>
            <ControlButton label={isSilent ? words.unmute : words.mute} onClick={toggleSound}>
              {isSilent ? <MuteIcon /> : <UnmuteIcon />}
            </ControlButton>
            <ControlButton label={words.fullScreen} onClick={fullScreen}>
              <ScreenFullIcon />
            </ControlButton>
          </Group>
          <SegmentedControl
            size="xs"
            aria-label={words.transport}
            data={CHOICES}
            value={shownTransport}
            onChange={(value) => {
              setChosen(value as Transport)
              setOn(true)
            }}
          />
        </Group>
        <PlayerFigures figures={figures} transport={shownTransport} />
        {passedOver.length > 0 && (
          <Text size="sm" c="dimmed">
            {[...passedOver, words.instead(TRANSPORTS[shownTransport].label)].join(' ')}
          </Text>
        )}
      </Stack>
    </Card>
  )
}

type ControlButtonProps = {
  readonly label: string
  readonly onClick: () => void
  readonly children: ReactNode
}

function ControlButton({ label, onClick, children }: ControlButtonProps) {
  return (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} title={label} onClick={onClick}>
      {children}
    </ActionIcon>
  )
}
