import { Button, Text } from '@mantine/core'
import { useWords } from '../language.ts'
import { PLAYER_WORDS } from './player-words.ts'
import styles from './player.module.css'
import type { PlaybackState } from './playback.ts'

type Props = {
  readonly state: PlaybackState | undefined
  readonly isStopped: boolean
  /** Says it in one word or two, as walls have many. */
  readonly isPlain: boolean
  readonly onRetry: () => void
}

/** The words over the picture while there is none. */
export function PlayerNotice({ state, isStopped, isPlain, onRetry }: Props) {
  const words = useWords(PLAYER_WORDS)
  const phase = state?.phase ?? 'connecting'
  const isGivenUp = phase === 'refused' || phase === 'unsupported'
  const hint = phase === 'waiting' ? words.waitingText : phase === 'ended' ? words.endedText : ''
  const isStalled = !isStopped && phase === 'stalled'
  const isShown = isStopped || phase !== 'playing'
  return (
    <div className={isShown ? (isStalled ? styles.remark : styles.notice) : undefined} aria-live="polite">
      {isShown && (
        <>
          <Text fw={600} size={isPlain ? 'sm' : 'md'}>
            {isStopped ? words.stopped : phase === 'playing' ? '' : words[phase]}
          </Text>
          {!isStopped && !isPlain && <Text size="sm">{state?.message || hint}</Text>}
          {!isStopped && isGivenUp && !isPlain && (
            <Button size="xs" variant="white" color="dark" onClick={onRetry}>
              {words.retry}
            </Button>
          )}
        </>
      )}
    </div>
  )
}
