import { ActionIcon, Button, Card, Group, Stack, TextInput } from '@mantine/core'
import { PlusIcon, TrashIcon } from '@primer/octicons-react'
import { toFieldPathId, type FieldProps } from '@rjsf/utils'
import { useRef, useState } from 'react'
import { useWords } from '../language.ts'
import { FieldHeading } from './field-heading.tsx'
import { inputKindOf, valuesOf, type FieldSchema } from './field-schema.ts'
import { FORM_WORDS } from './form-words.ts'

type Values = Readonly<Record<string, unknown>>

/** A row of a map. Its id stays while its key is typed. */
type Row = {
  readonly id: number
  readonly key: string
  /** The text that is typed for the key while another row has that key. */
  readonly draft?: string
}

/** A map whose keys the user chooses: rows of key and value. */
export function MapField(props: FieldProps) {
  const { schema, fieldPathId, formData, onChange, registry, errorSchema, rawErrors, name, disabled, readonly } = props
  const words = useWords(FORM_WORDS)
  const field = schema as FieldSchema
  const valueSchema = valuesOf(field) ?? {}
  const isPlain = inputKindOf(valueSchema) !== undefined
  const isFixed = disabled === true || readonly === true
  const given = (formData ?? {}) as Values
  const { rows, setRows, newRow } = useRows(given)

  const set = (next: readonly Row[], values: Values) => {
    setRows(next)
    onChange(Object.fromEntries(next.map(({ key }) => [key, values[key]])), fieldPathId.path)
  }
  const rename = (row: Row, key: string) => {
    const isTaken = rows.some((other) => other.id !== row.id && other.key === key)
    const next = isTaken ? { ...row, draft: key } : { id: row.id, key }
    const renamed = rows.map((other) => (other.id === row.id ? next : other))
    if (isTaken) setRows(renamed)
    else set(renamed, { ...given, [key]: given[row.key] })
  }
  const add = () => {
    const row = newRow(freeKey(given))
    set([...rows, row], { ...given, [row.key]: isPlain ? emptyOf(valueSchema) : {} })
  }
  const remove = (row: Row) => {
    set(
      rows.filter((other) => other !== row),
      given,
    )
  }

  const { SchemaField } = registry.fields
  const title = field.title ?? name
  return (
    <Stack gap="xs" role="group" aria-label={title}>
      <FieldHeading title={title} description={field.description} errors={rawErrors} />
      {rows.map((row, index) => {
        const { id, key, draft } = row
        const keyInput = (
          <TextInput
            label={words.key}
            aria-label={words.keyOf(index + 1)}
            value={draft ?? key}
            error={draft === undefined ? undefined : words.sameKey}
            disabled={isFixed}
            autoComplete="off"
            spellCheck={false}
            onChange={({ currentTarget }) => rename(row, currentTarget.value)}
          />
        )
        const valueField = SchemaField !== undefined && (
          <SchemaField
            {...props}
            name={key}
            schema={{ ...valueSchema, title: isPlain ? words.value : '' } as never}
            required
            fieldPathId={toFieldPathId(key, registry.globalFormOptions, fieldPathId)}
            formData={given[key]}
            errorSchema={(errorSchema as Readonly<Record<string, never>> | undefined)?.[key] ?? {}}
          />
        )
        const removal = !isFixed && (
          <ActionIcon
            variant="subtle"
            color="red"
            size="lg"
            mt={24}
            aria-label={words.remove(key)}
            onClick={() => remove(row)}
          >
            <TrashIcon />
          </ActionIcon>
        )
        return isPlain ? (
          <Group key={id} align="flex-start" gap="xs" wrap="nowrap">
            <div style={{ flex: 1, minWidth: 0 }}>{keyInput}</div>
            <div style={{ flex: 2, minWidth: 0 }}>{valueField}</div>
            {removal}
          </Group>
        ) : (
          <Card key={id} withBorder padding="sm">
            <Group align="flex-start" gap="xs" wrap="nowrap" mb="xs">
              <div style={{ flex: 1, minWidth: 0 }}>{keyInput}</div>
              {removal}
            </Group>
            {valueField}
          </Card>
        )
      })}
      {!isFixed && (
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon />}
          style={{ alignSelf: 'flex-start' }}
          onClick={add}
        >
          {words.addEntry}
        </Button>
      )}
    </Stack>
  )
}

/** The rows of a map, which stay the same while its keys do. */
function useRows(given: Values) {
  const lastId = useRef(0)
  const newRow = (key: string): Row => {
    lastId.current += 1
    return { id: lastId.current, key }
  }
  const [held, setRows] = useState<readonly Row[]>([])
  const keys = Object.keys(given)
  const isHeld = held.length === keys.length && held.every(({ key }) => Object.hasOwn(given, key))
  const rows = isHeld ? held : keys.map((key) => held.find((row) => row.key === key) ?? newRow(key))
  if (!isHeld) setRows(rows)
  return { rows, setRows, newRow }
}

function freeKey(given: Values): string {
  let number = Object.keys(given).length + 1
  while (Object.hasOwn(given, `key${number}`)) number += 1
  return `key${number}`
}

/** The value of a new row. */
function emptyOf(schema: FieldSchema): unknown {
  if (schema.default !== undefined) return schema.default
  const kind = inputKindOf(schema)
  if (kind === 'tags' || kind === 'choices') return []
  if (kind === 'switch') return false
  return kind === 'text' || kind === 'password' ? '' : undefined
}
