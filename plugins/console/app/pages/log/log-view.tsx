import { Button, Card, Text } from '@mantine/core'
import { memo, useLayoutEffect, useRef, useState } from 'react'
import { restText, type ShownLine } from './log-lines.ts'
import type { WORDS } from './log-words.ts'
import styles from './log.module.css'

type Words = (typeof WORDS)['en']
type Props = { readonly lines: readonly ShownLine[]; readonly words: Words; readonly locale: string }

/** So near to the end, the view follows it. */
const END_PX = 24

/** The lines in a box that follows their end, unless the reader has scrolled away from it. */
export function LogView({ lines, words, locale }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [isFollowing, setFollowing] = useState(true)
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight })
  useLayoutEffect(() => {
    if (isFollowing) toEnd()
  }, [lines, isFollowing])
  const onScroll = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = box.current ?? {}
    setFollowing(scrollTop + clientHeight >= scrollHeight - END_PX)
  }
  return (
    <Card withBorder padding={0} pos="relative">
      <div ref={box} className={styles.lines} onScroll={onScroll} role="region" aria-label={words.lines} tabIndex={0}>
        {lines.length === 0 && (
          <Text c="dimmed" ta="center" p="xl" size="sm">
            {words.empty}
          </Text>
        )}
        <ol className={styles.list}>
          {lines.map((line) => (
            <Line key={line.id} line={line} words={words} locale={locale} />
          ))}
        </ol>
      </div>
      {!isFollowing && (
        <Button size="xs" pos="absolute" bottom={12} right={24} onClick={toEnd}>
          {words.toEnd}
        </Button>
      )}
    </Card>
  )
}

type LineProps = { readonly line: ShownLine; readonly words: Words; readonly locale: string }

/** A line, which opens to all of its fields. */
const Line = memo(function Line({ line, words, locale }: LineProps) {
  const [isOpen, setOpen] = useState(false)
  const { time, level, plugin, msg, rest, dropped } = line
  return (
    <li>
      {dropped > 0 && <div className={styles.dropped}>{words.dropped(dropped)}</div>}
      <button type="button" className={styles.head} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <time className={styles.time} dateTime={time} title={new Date(time).toLocaleString(locale)}>
          {timeText(time, locale)}
        </time>
        <span className={styles[level]}>{level}</span>
        <span className={styles.plugin}>{plugin}</span>
        <span className={`${styles.msg} ${styles[level] ?? ''}`}>{msg}</span>
      </button>
      {isOpen && <pre className={styles.rest}>{restText({ time, ...rest })}</pre>}
    </li>
  )
})

/** The time of the day, to the millisecond. */
function timeText(time: string, locale: string): string {
  const shown = {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    fractionalSecondDigits: 3,
  } as const
  return new Date(time).toLocaleTimeString(locale, shown)
}
