import { ActionIcon, Badge, Group, Text } from '@mantine/core'
import { ReplyIcon, UndoIcon } from '@primer/octicons-react'
import { memo, useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { inputKindOf } from '../../kit/form/field-schema.ts'
import { isSame } from '../../kit/form/validator.ts'
import { ValueInput } from '../../kit/form/value-input.tsx'
import { CONFIG_WORDS } from './config-words.ts'
import styles from './config.module.css'
import { isSetHere, unmodified, type Leaf } from './section-model.ts'
import { SourceBadge } from './source-badge.tsx'
import { emptyStruct, StructForm, StructSummary } from './struct-input.tsx'

type Props = {
  readonly console: Console<Paths>
  readonly leaf: Leaf
  /** The value that was typed; null takes back, undefined leaves it as it is. */
  readonly edit: unknown
  /** The server's message. */
  readonly problem: string | undefined
  /** Called with the new value, null to take back, undefined to undo. */
  readonly onEdit: (path: string, value: unknown) => void
}

/** A key of a section: title and description, input, source, and the way back. */
export const KeyRow = memo(({ console, leaf, edit, problem, onEdit }: Props) => {
  const words = console.words(CONFIG_WORDS)
  const { mayChange } = console.user
  const { path, title, schema, source } = leaf
  const isChanged = edit !== undefined && !(edit !== null && isSame(edit, leaf.value))
  const value = edit === undefined ? leaf.value : edit === null ? unmodified(leaf)?.value : edit
  const id = `key-${path}`
  const isStruct = inputKindOf(schema) === undefined
  const [isOpen, setOpen] = useState(false)
  const toggle = () => {
    setOpen(!isOpen)
    if (value === undefined && mayChange) onEdit(path, emptyStruct(schema))
  }
  const input = {
    id,
    schema,
    value,
    // An empty number is no value, and is not taken for one.
    onChange: (next: unknown) => onEdit(path, next ?? ''),
    isDisabled: !mayChange,
    isDimmed: !isChanged && !isSetHere(source),
  }
  return (
    <div className={`${styles.row} ${isChanged ? styles.changed : ''}`}>
      <div>
        <Text component="label" htmlFor={id} id={`${id}-label`} size="sm" fw={500}>
          {title}
        </Text>
        <div className={styles.path}>{path}</div>
        {schema.description !== undefined && (
          <Text size="xs" c="dimmed" mt={2}>
            {schema.description}
          </Text>
        )}
      </div>
      <div>
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <div style={{ flex: 1, minWidth: 0 }}>
            {isStruct ? (
              <StructSummary {...input} {...{ console, title, isOpen }} onToggle={toggle} />
            ) : (
              <ValueInput {...input} error={problem} />
            )}
          </div>
          {mayChange && (
            <div style={{ width: 28, flex: 'none' }}>
              <WayBack {...{ console, leaf, onEdit, isChanged }} />
            </div>
          )}
        </Group>
        {isStruct && problem !== undefined && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert" style={{ whiteSpace: 'pre-line' }}>
            {problem}
          </Text>
        )}
        <Group gap={6} mt={6}>
          <SourceBadge console={console} leaf={leaf} />
          {isChanged && (
            <Badge size="sm" variant="light" color="orange" tt="none" fw={500}>
              {edit === null ? words.takenBack : words.changed}
            </Badge>
          )}
        </Group>
      </div>
      {isStruct && isOpen && (
        <div className={styles.wide}>
          <StructForm {...input} />
        </div>
      )}
    </div>
  )
})

type WayBackProps = Pick<Props, 'console' | 'leaf' | 'onEdit'> & { readonly isChanged: boolean }

/** Undoes an edit, or takes back what was set at run time. */
function WayBack({ console, leaf: { path, title, source }, onEdit, isChanged }: WayBackProps) {
  const words = console.words(CONFIG_WORDS)
  if (!isChanged && source !== 'modify') return null
  const label = isChanged ? words.undo(title) : words.takeBack(title)
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      mt={4}
      aria-label={label}
      title={label}
      onClick={() => onEdit(path, isChanged ? undefined : null)}
    >
      {isChanged ? <UndoIcon /> : <ReplyIcon />}
    </ActionIcon>
  )
}
