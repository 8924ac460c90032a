import { DAYS_SHOWN, HOURS_A_DAY, indexOf, type WeekHours } from '../week-hours.ts'

const HOUR_WIDTH = 5
const DAY_HEIGHT = 5
const GAP = 1

/** A small picture of a plan: a row for each day. */
export function WeekPicture({ hours }: { readonly hours: WeekHours }) {
  return (
    <svg
      width={HOURS_A_DAY * HOUR_WIDTH}
      height={DAYS_SHOWN.length * (DAY_HEIGHT + GAP)}
      aria-hidden
      style={{ display: 'block' }}
    >
      {DAYS_SHOWN.flatMap((day, row) =>
        Array.from({ length: HOURS_A_DAY }, (_, hour) => (
          <rect
            key={`${day}-${hour}`}
            x={hour * HOUR_WIDTH}
            y={row * (DAY_HEIGHT + GAP)}
            width={HOUR_WIDTH - GAP}
            height={DAY_HEIGHT}
            fill={
              hours[indexOf({ day, hour })] === true
                ? 'var(--mantine-primary-color-filled)'
                : 'light-dark(var(--mantine-color-gray-2), var(--mantine-color-dark-4))'
            }
          />
        )),
      )}
    </svg>
  )
}
