import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { ChartProps } from 'sluice/sdk/console'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import styles from './chart.module.css'
import { useLanguage } from './language.ts'

const COLORS = {
  light: ['#087f5b', '#1864ab', '#d9480f', '#862e9c', '#c92a2a', '#5c940d'],
  dark: ['#38d9a9', '#74c0fc', '#ffa94d', '#e599f7', '#ff8787', '#a9e34b'],
}
const AXIS = { light: { text: '#495057', grid: '#e9ecef' }, dark: { text: '#c1c2c5', grid: '#373a40' } }
const FONT = '12px system-ui, sans-serif'
/** The place of the labels at the left, in pixels. */
const LABELS_WIDTH = 72
/** The place of the times below, in pixels. */
const TIMES_HEIGHT = 26
/** A unit of the axis is no narrower, so that the times do not touch. */
const MIN_TIME_SPACE = 84

export default function Chart({ label, times, series, formatValue, height = 160 }: ChartProps) {
  const scheme = useComputedColorScheme('light')
  const language = useLanguage()
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const write = useRef(formatValue)
  write.current = formatValue
  const data = [times, ...series.map(({ values }) => values)] as uPlot.AlignedData
  const names = series.map(({ name }) => name).join('\n')

  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const options = optionsOf({
      size: { width: element.clientWidth, height },
      scheme,
      names: names.split('\n'),
      timeText: timeTexts(language),
      valueText: (value) => write.current(value),
    })
    const made = new uPlot(options, [[]], element)
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
    }
  }, [scheme, height, names, language])

  useEffect(() => {
    plot.current?.setData(data)
  })

  const newest = series.map(({ name, values }) => `${name}: ${newestText(values, formatValue)}`).join(', ')
  return (
    <div className={styles.chart}>
      <div ref={place} role="img" aria-label={`${label}. ${newest}`} style={{ minHeight: height }} />
      <ul className={styles.legend} aria-hidden>
        {series.map(({ name, values }, index) => (
          <li key={name}>
            <span className={styles.line} style={{ background: COLORS[scheme][index] ?? AXIS[scheme].text }} />
            {series.length > 1 && `${name} `}
            <b>{newestText(values, formatValue)}</b>
          </li>
        ))}
      </ul>
    </div>
  )
}

type PlotParts = {
  readonly size: { readonly width: number; readonly height: number }
  readonly scheme: 'light' | 'dark'
  readonly names: readonly string[]
  readonly timeText: (unixSeconds: number, stepSeconds: number) => string
  readonly valueText: (value: number) => string
}

function optionsOf({ size, scheme, names, timeText, valueText }: PlotParts): uPlot.Options {
  const { text, grid } = AXIS[scheme]
  const axis: uPlot.Axis = { stroke: text, font: FONT, grid: { stroke: grid, width: 1 }, ticks: { show: false } }
  return {
    ...size,
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        size: TIMES_HEIGHT,
        space: MIN_TIME_SPACE,
        values: (_, ticks, __, ___, step) => ticks.map((tick) => timeText(tick, step)),
      },
      { ...axis, size: LABELS_WIDTH, values: (_, ticks) => ticks.map(valueText) },
    ],
    series: [
      {},
      ...names.map((name, index) => ({
        label: name,
        stroke: COLORS[scheme][index] ?? text,
        width: 1.5,
        points: { show: false },
      })),
    ],
  }
}

/** Times of an axis as the language has them; seconds only where its steps are that short. */
function timeTexts(language: string): PlotParts['timeText'] {
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const minutes = new Intl.DateTimeFormat(language, time)
  const seconds = new Intl.DateTimeFormat(language, { ...time, second: '2-digit' })
  return (unixSeconds, stepSeconds) => (stepSeconds < 60 ? seconds : minutes).format(unixSeconds * 1000)
}

function newestText(values: readonly (number | null)[], formatValue: (value: number) => string): string {
  const newest = values.at(-1)
  return newest === undefined || newest === null ? '–' : formatValue(newest)
}
