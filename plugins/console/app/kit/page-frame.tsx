import { Group, Stack, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import type { PageFrameProps } from 'sluice/sdk/console'

export function PageFrame({ title, description, actions, children }: PageFrameProps) {
  useEffect(() => {
    document.title = `${title} – Sluice`
  }, [title])
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1} size="h2">
            {title}
          </Title>
          {description !== undefined && (
            <Text c="dimmed" size="sm" mt={4}>
              {description}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
