import { Badge, Button, Group, Text } from '@mantine/core'
import { ChevronDownIcon, ChevronRightIcon } from '@primer/octicons-react'
import { useRef, type CSSProperties, type KeyboardEvent } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import styles from './task-tree.module.css'
import type { TaskLine, TaskNode } from './task-tree.ts'
import type { WORDS } from './task-words.ts'

type Props = {
  readonly console: Console<Paths>
  readonly lines: readonly TaskLine[]
  readonly words: (typeof WORDS)['en']
  readonly onToggle: (node: TaskNode) => void
  readonly onChange: () => Promise<void>
}

const RUNNING = 3

/** The tree as a list of its lines. Arrows move through it, and open and close nodes (WAI-ARIA, Tree View). */
export function TaskTreeView({ console, lines, words, onToggle, onChange }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const focusAt = (index: number) => list.current?.querySelectorAll<HTMLElement>(':scope > li').item(index)?.focus()
  const onKeyDown = (event: KeyboardEvent<HTMLLIElement>, line: TaskLine, index: number) => {
    if (event.target !== event.currentTarget) return
    const { node, isOpen } = line
    const canOpen = node.children.length > 0
    const moves: Readonly<Record<string, (() => void) | undefined>> = {
      ArrowDown: () => focusAt(Math.min(index + 1, lines.length - 1)),
      ArrowUp: () => focusAt(Math.max(index - 1, 0)),
      Home: () => focusAt(0),
      End: () => focusAt(lines.length - 1),
      ArrowRight: () => (canOpen && !isOpen ? onToggle(node) : canOpen && focusAt(index + 1)),
      ArrowLeft: () => (isOpen ? onToggle(node) : focusAt(parentOf(lines, index))),
      Enter: () => canOpen && onToggle(node),
    }
    const move = moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    move()
  }
  return (
    <ul ref={list} className={styles.tree} role="tree" aria-label={words.tree}>
      {lines.map((line, index) => (
        <li
          key={line.node.pointer}
          role="treeitem"
          aria-level={line.level + 1}
          aria-expanded={line.node.children.length > 0 ? line.isOpen : undefined}
          tabIndex={index === 0 ? 0 : -1}
          className={styles.line}
          style={{ '--level': line.level } as CSSProperties}
          onKeyDown={(event) => onKeyDown(event, line, index)}
        >
          <Line console={console} line={line} words={words} onToggle={onToggle} onChange={onChange} />
        </li>
      ))}
    </ul>
  )
}

function Line({ console, line, words, onToggle, onChange }: Omit<Props, 'lines'> & { readonly line: TaskLine }) {
  const { node, isOpen } = line
  const count = node.children.length
  return (
    <>
      <span className={styles.fold} aria-hidden onClick={() => count > 0 && onToggle(node)}>
        {count > 0 && (isOpen ? <ChevronDownIcon /> : <ChevronRightIcon />)}
      </span>
      <span className={styles.owner} onClick={() => count > 0 && onToggle(node)}>
        {node.owner}
      </span>
      {count > 0 && (
        <Text span size="xs" c="dimmed">
          {console.format.number(count)}
        </Text>
      )}
      {node.state !== RUNNING && (
        <Badge size="sm" variant="light" color="orange" tt="none">
          {words.states[node.state]}
        </Badge>
      )}
      <span className={styles.details}>{detailsOf(node)}</span>
      <Text span size="xs" c="dimmed" className="figures">
        {words.since(console.format.time(node.startTime))}
      </Text>
      <Controls console={console} line={line} words={words} onChange={onChange} />
    </>
  )
}

function Controls({ console, line, words, onChange }: Omit<Props, 'lines' | 'onToggle'> & { readonly line: TaskLine }) {
  const { node, controls } = line
  const { ConfirmButton } = console.components
  if (!console.user.mayChange || !controls.canStop) return null
  const params = { id: node.pointer }
  const act = async (operation: 'POST /api/task/stop/{id}' | 'POST /api/task/restart/{id}', done: string) => {
    await console.change(() => console.api.call(operation, { params }), done)
    await onChange()
  }
  return (
    <Group gap={4}>
      {controls.canRestart && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => void act('POST /api/task/restart/{id}', words.restarted(node.owner))}
          aria-label={`${words.restart} ${node.owner}`}
        >
          {words.restart}
        </Button>
      )}
      <ConfirmButton
        question={words.stopQuestion(node.owner)}
        label={`${words.stop} ${node.owner}`}
        onConfirm={() => act('POST /api/task/stop/{id}', words.stopped(node.owner))}
      >
        {words.stop}
      </ConfirmButton>
    </Group>
  )
}

/** The description, without the name of the plugin where the node has it itself. */
function detailsOf({ owner, description }: TaskNode): string {
  return Object.entries(description)
    .filter(([name, value]) => name !== 'plugin' || value !== owner)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')
}

/** The place of the line above that the line is below of. */
function parentOf(lines: readonly TaskLine[], index: number): number {
  const level = lines[index]?.level ?? 0
  return Math.max(
    0,
    lines.findLastIndex((line, place) => place < index && line.level < level),
  )
}
