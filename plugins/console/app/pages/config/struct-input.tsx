import { Button, Card, Group, Skeleton, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { plainSchema, type FieldSchema } from '../../kit/form/field-schema.ts'
import { CONFIG_WORDS } from './config-words.ts'

const SchemaForm = lazy(() => import('../../kit/form/schema-form.tsx'))

const MOST_NAMES = 3

type Props = {
  readonly console: Console<Paths>
  readonly id: string
  readonly title: string
  readonly schema: FieldSchema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly isDisabled: boolean
}

/** A value that is made of several: a list of objects, a map or an object. Its form is made when it is opened. */
export function StructInput({ console, id, title, schema, value, onChange, isDisabled }: Props) {
  const words = console.words(CONFIG_WORDS)
  const [isOpen, setOpen] = useState(false)
  const open = () => {
    setOpen(!isOpen)
    if (value === undefined && !isDisabled) onChange(plainSchema(schema).type === 'array' ? [] : {})
  }
  const openText = isDisabled ? words.show : value === undefined ? words.set : words.edit
  return (
    <>
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
          aria-label={`${isOpen ? words.fold : openText}: ${title}`}
          disabled={isDisabled && value === undefined}
          onClick={open}
        >
          {isOpen ? words.fold : openText}
        </Button>
      </Group>
      {isOpen && (
        <Card withBorder padding="sm" mt="xs">
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
      )}
    </>
  )
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
