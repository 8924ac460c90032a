import { ActionIcon, Button, Card, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { ArrowDownIcon, ArrowUpIcon, PlusIcon, TrashIcon } from '@primer/octicons-react'
import getDefaultRegistry from '@rjsf/core/lib/getDefaultRegistry.js'
import {
  ADDITIONAL_PROPERTY_FLAG,
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  type FieldProps,
  type FieldTemplateProps,
  type ObjectFieldTemplateProps,
  type RegistryFieldsType,
  type RJSFSchema,
  type TemplatesType,
} from '@rjsf/utils'
import { useWords } from '../language.ts'
import { FieldHeading } from './field-heading.tsx'
import { inputKindOf, valuesOf, type FieldSchema } from './field-schema.ts'
import { FORM_WORDS } from './form-words.ts'
import { MapField } from './map-field.tsx'
import { PlainField } from './plain-field.tsx'

const { ArrayField, ObjectField } = getDefaultRegistry().fields as Required<RegistryFieldsType>

/** The fields of forms, by the type of their schema. */
export const FORM_FIELDS: RegistryFieldsType = {
  StringField: PlainField,
  NumberField: PlainField,
  BooleanField: PlainField,
  FallbackField: PlainField,
  ArrayField: (props: FieldProps) => {
    const isPlain = inputKindOf(props.schema as FieldSchema) !== undefined
    return isPlain || ArrayField === undefined ? <PlainField {...props} /> : <ArrayField {...props} />
  },
  ObjectField: (props: FieldProps) => {
    const schema = declaredSchema(props.schema)
    if (valuesOf(schema) !== undefined) return <MapField {...props} schema={schema as RJSFSchema} />
    if (inputKindOf(schema) !== undefined || ObjectField === undefined) return <PlainField {...props} />
    return <ObjectField {...props} />
  },
}

/** The form lists the keys that a map has now as properties of its schema. */
function declaredSchema({ properties, ...schema }: RJSFSchema): FieldSchema {
  const declared = Object.entries(properties ?? {}).filter(
    ([, one]) => !Object.hasOwn(one as object, ADDITIONAL_PROPERTY_FLAG),
  )
  return (declared.length === 0 ? schema : { ...schema, properties }) as FieldSchema
}

/** The frames of fields. Inputs have their titles and faults themselves. */
export const FORM_TEMPLATES: Partial<TemplatesType> = {
  FieldTemplate: ({ hidden, children }: FieldTemplateProps) => (hidden === true ? null : <>{children}</>),
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
}

function ObjectFieldTemplate({
  title,
  description,
  properties,
  fieldPathId,
  errorSchema,
  schema,
}: ObjectFieldTemplateProps) {
  const isRoot = fieldPathId.path.length === 0
  const isWide = (name: string) => inputKindOf((schema as FieldSchema).properties?.[name] ?? {}) === undefined
  const inputs = properties.filter(({ hidden, name }) => !hidden && !isWide(name))
  const others = properties.filter(({ hidden, name }) => !hidden && isWide(name))
  const shownTitle = isRoot ? '' : title
  return (
    <Stack gap="md" role="group" {...(shownTitle !== '' && { 'aria-label': shownTitle })}>
      <FieldHeading
        title={shownTitle}
        description={typeof description === 'string' ? description : undefined}
        errors={errorSchema?.__errors}
      />
      {inputs.length > 0 && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm" style={{ alignItems: 'start' }}>
          {inputs.map(({ content }) => content)}
        </SimpleGrid>
      )}
      {others.map(({ content }) => content)}
    </Stack>
  )
}

function ArrayFieldTemplate({
  title,
  schema,
  items,
  canAdd,
  onAddClick,
  rawErrors,
  disabled,
  readonly,
}: ArrayFieldTemplateProps) {
  const words = useWords(FORM_WORDS)
  return (
    <Stack gap="xs" role="group" aria-label={title}>
      <FieldHeading title={title} description={(schema as FieldSchema).description} errors={rawErrors} />
      {items}
      {canAdd === true && disabled !== true && readonly !== true && (
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onAddClick()}
        >
          {words.addEntry}
        </Button>
      )}
    </Stack>
  )
}

function ArrayFieldItemTemplate({ children, index, buttonsProps, disabled, readonly }: ArrayFieldItemTemplateProps) {
  const words = useWords(FORM_WORDS)
  const { hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem } = buttonsProps
  const name = words.entry(index + 1)
  const button = (label: string, icon: typeof TrashIcon, onClick: () => void, color = 'gray') => {
    const Icon = icon
    return (
      <ActionIcon variant="subtle" color={color} aria-label={label} onClick={onClick}>
        <Icon />
      </ActionIcon>
    )
  }
  return (
    <Card withBorder padding="sm" role="group" aria-label={name}>
      <Group justify="space-between" mb="xs">
        <Text size="xs" c="dimmed">
          {name}
        </Text>
        {disabled !== true && readonly !== true && (
          <Group gap={2}>
            {hasMoveUp && button(words.up(name), ArrowUpIcon, () => onMoveUpItem())}
            {hasMoveDown && button(words.down(name), ArrowDownIcon, () => onMoveDownItem())}
            {hasRemove && button(words.remove(name), TrashIcon, () => onRemoveItem(), 'red')}
          </Group>
        )}
      </Group>
      {children}
    </Card>
  )
}
