import { Text } from '@mantine/core'

type Props = {
  readonly title: string
  readonly description: string | undefined
  readonly errors: readonly string[] | undefined
}

/** The title of a field that is made of several inputs, and what is wrong with it as a whole. */
export function FieldHeading({ title, description, errors = [] }: Props) {
  if (title === '' && description === undefined && errors.length === 0) return null
  return (
    <div>
      {title !== '' && (
        <Text size="sm" fw={500}>
          {title}
        </Text>
      )}
      {description !== undefined && (
        <Text size="xs" c="dimmed">
          {description}
        </Text>
      )}
      {errors.length > 0 && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {errors.join('; ')}
        </Text>
      )}
    </div>
  )
}
