import { Button, Card, Group, Skeleton, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { plainSchema, type FieldSchema } from '../../kit/form/field-schema.ts'
import { CONFIG_WORDS } from './config-words.ts'

const SchemaForm = lazy(() => import('../../kit/form/schema-form.tsx'))

const MOST_NAMES = 3

type SummaryProps = {
  readonly console: Console<Paths>
  readonly id: string
  readonly title: string
  readonly value: unknown
  readonly isDisabled: boolean
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** A value that is made of several, in a few words, and a button for its form. */
export function StructSummary({ console, id, title, value, isDisabled, isOpen, onToggle }: SummaryProps) {
  const words = console.words(CONFIG_WORDS)
  const openText = isDisabled ? words.show : value === undefined ? words.set : words.edit
  const text = isOpen ? words.fold : openText
  return (
    <Group gap="sm" justify="space-between" wrap="nowrap" mih={36}>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }} lineClamp={2}>
        {summaryOf(value, words)}
      </Text>
      <Button
        id={id}
        variant="default"
        size="xs"
        style={{ flex: 'none' }}
        aria-expanded={isOpen}
        aria-label={`${text}: ${title}`}
        disabled={isDisabled && value === undefined}
        onClick={onToggle}
      >
        {text}
      </Button>
    </Group>
  )
}

type FormProps = {
  readonly id: string
  readonly schema: FieldSchema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly isDisabled: boolean
}

/** The form of a list of objects, a map or an object. */
export function StructForm({ id, schema, value, onChange, isDisabled }: FormProps) {
  return (
    <Card withBorder padding="sm">
      <Suspense fallback={<Skeleton height={120} />}>
        <SchemaForm
          id={`${id}-form`}
          schema={untitled(schema)}
          value={value}
          onChange={onChange}
          isReadOnly={isDisabled}
        />
      </Suspense>
    </Card>
  )
}

/** The value with which an empty form begins. */
export function emptyStruct(schema: FieldSchema): unknown {
  return plainSchema(schema).type === 'array' ? [] : {}
}

/** The row has the title and the description already. */
function untitled(schema: FieldSchema): FieldSchema {
  const { description: _, ...rest } = schema
  return { ...rest, title: '' }
}

function summaryOf(value: unknown, words: (typeof CONFIG_WORDS)['en']): string {
  if (value === undefined) return words.unset
  if (Array.isArray(value)) return value.length === 0 ? words.nothing : words.entries(value.length)
  const keys = Object.keys(value as object)
  if (keys.length === 0) return words.nothing
  return `${words.entries(keys.length)}: ${keys.slice(0, MOST_NAMES).join(', ')}${keys.length > MOST_NAMES ? ', …' : ''}`
}
