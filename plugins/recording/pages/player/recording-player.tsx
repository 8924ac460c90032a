import { ActionIcon, Box, Center, Group, NativeSelect, Text, Tooltip } from '@mantine/core'
import { useFullscreenElement } from '@mantine/hooks'
import {
  MoveToEndIcon,
  MoveToStartIcon,
  MuteIcon,
  PauseIcon,
  PlayIcon,
  RedoIcon,
  ScreenFullIcon,
  ScreenNormalIcon,
  UndoIcon,
  UnmuteIcon,
} from '@primer/octicons-react'
import { useEffect, useState, type ReactNode, type RefObject } from 'react'
import { clockOf } from '../calendar.ts'
import type { PageConsole } from '../page-console.ts'
import { WORDS } from '../recordings-words.ts'
import { useVideoState } from './use-video-state.ts'

const SPEEDS = [0.5, 1, 2, 4, 8, 16]
const FILLING = { position: 'absolute', inset: 0, width: '100%', height: '100%' } as const

type RecordingPlayerProps = {
  readonly console: PageConsole
  readonly video: RefObject<HTMLVideoElement | null>
  /** A sentence over the picture: nothing is chosen, or it does not play. */
  readonly notice: string | undefined
  readonly atMs: number
  /** Plays where nothing is loaded yet. */
  readonly onStart: () => void
  /** Plays from a time so many milliseconds later. */
  readonly onMove: (byMs: number) => void
  readonly onPreviousFile: () => void
  readonly onNextFile: () => void
}

/** The picture of a recording, and the buttons below it. */
export function RecordingPlayer(props: RecordingPlayerProps) {
  const { console, video, notice, atMs } = props
  const words = console.words(WORDS)
  const { ref: frame, toggle, fullscreen } = useFullscreenElement()
  const { isPlaying, isMuted } = useVideoState(video)
  const [speed, setSpeed] = useState(1)
  useEffect(() => {
    if (video.current === null) return
    // A window that is loaded later has it, too.
    video.current.defaultPlaybackRate = speed
    video.current.playbackRate = speed
  }, [video, speed])
  const playOrPause = () => {
    const element = video.current
    if (element === null || element.readyState === 0) props.onStart()
    else if (element.paused) void element.play().catch(() => undefined)
    else element.pause()
  }
  return (
    <Box
      ref={frame}
      role="group"
      aria-label={words.player}
      bg="var(--mantine-color-body)"
      style={fullscreen ? { display: 'flex', flexDirection: 'column' } : undefined}
    >
      <Box
        pos="relative"
        bg="black"
        mah={fullscreen ? '100%' : '65vh'}
        w="100%"
        style={fullscreen ? { flex: 1, minHeight: 0 } : { aspectRatio: '16 / 9' }}
      >
        <video ref={video} playsInline onClick={playOrPause} style={FILLING} />
        {notice !== undefined && (
          <Center style={{ ...FILLING, pointerEvents: 'none' }}>
            <Text c="white" p="md" ta="center">
              {notice}
            </Text>
          </Center>
        )}
      </Box>
      <Group gap={4} p="xs" justify="space-between">
        <Group gap={4}>
          <Tool label={words.previousFile} onClick={props.onPreviousFile}>
            <MoveToStartIcon />
          </Tool>
          <Tool label={words.back10} onClick={() => props.onMove(-10_000)}>
            <UndoIcon />
          </Tool>
          <Tool label={isPlaying ? words.pause : words.play} onClick={playOrPause} isPrimary>
            {isPlaying ? <PauseIcon /> : <PlayIcon />}
          </Tool>
          <Tool label={words.forward10} onClick={() => props.onMove(10_000)}>
            <RedoIcon />
          </Tool>
          <Tool label={words.nextFile} onClick={props.onNextFile}>
            <MoveToEndIcon />
          </Tool>
          <Text ff="monospace" size="sm" px="xs">
            {clockOf(atMs)}
          </Text>
        </Group>
        <Group gap={4}>
          <NativeSelect
            size="xs"
            w={76}
            aria-label={words.speed}
            value={String(speed)}
            data={SPEEDS.map((value) => ({ value: String(value), label: `${value}×` }))}
            onChange={({ currentTarget }) => setSpeed(Number(currentTarget.value))}
          />
          <Tool
            label={isMuted ? words.unmute : words.mute}
            onClick={() => {
              if (video.current !== null) video.current.muted = !isMuted
            }}
          >
            {isMuted ? <MuteIcon /> : <UnmuteIcon />}
          </Tool>
          <Tool label={fullscreen ? words.leaveFullScreen : words.fullScreen} onClick={() => void toggle()}>
            {fullscreen ? <ScreenNormalIcon /> : <ScreenFullIcon />}
          </Tool>
        </Group>
      </Group>
    </Box>
  )
}

type ToolProps = {
  readonly label: string
  readonly onClick: () => void
  readonly isPrimary?: boolean
  readonly children: ReactNode
}

function Tool({ label, onClick, isPrimary = false, children }: ToolProps) {
  return (
    <Tooltip label={label} withinPortal={false}>
      <ActionIcon
        variant={isPrimary ? 'filled' : 'subtle'}
        {...(!isPrimary && { color: 'gray' })}
        size="lg"
        aria-label={label}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
