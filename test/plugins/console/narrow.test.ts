/**
 * The console on narrow screens: selected values that are not cut, filters that leave space for the list, and readable
 * axes.
 */
import { expect } from 'chai'
import { settled } from './browser.ts'
import { furnish } from './furnish.ts'
import { useConsole } from './suite.ts'

/** Runs in the browser: by how many CSS pixels the selected text of a visible list exceeds its space, at most. */
const cutOf = `Math.max(...[...document.querySelectorAll('.filters select')].filter((select) => select.clientWidth > 0).map((select) => {
  const style = getComputedStyle(select)
  const context = document.createElement('canvas').getContext('2d')
  context.font = style.font
  const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
  return context.measureText(select.selectedOptions[0].text).width - room
}))`

/** Runs in the browser: the positions of the times below a chart, and whether one of them is outside the drawing. */
const axisOf = `(() => {
  const texts = [...document.querySelectorAll('figure svg .axis.middle')]
  const box = texts[0].closest('svg').getBoundingClientRect()
  const boxes = texts.map((text) => text.getBoundingClientRect())
  return {
    texts: texts.map(({ textContent }) => textContent),
    isInside: boxes.every(({ left, right }) => left >= box.left - 1 && right <= box.right + 1),
    areApart: boxes.every(({ left }, index) => index === 0 || left > boxes[index - 1].right),
  }
})()`

interface Axis {
  texts: string[]
  isInside: boolean
  areApart: boolean
}

describe('the console on a narrow screen', function () {
  const suite = useConsole(this, { prepare: furnish })

  for (const [path, title] of [
    ['/keys', 'Keys'],
    ['/analytics?graph=latency/heatmap', 'Analytics'],
    ['/logs', 'Logs'],
  ] as const) {
    it(`${title}: the selected value of each list is not cut on a phone`, async () => {
      const { page } = suite
      await page.setViewportSize({ width: 390, height: 844 })
      await suite.visit(path, title)
      expect(await page.evaluate(cutOf)).to.be.at.most(0)
    })
  }

  it('shows four filters of the log on a phone until more are opened or in use', async () => {
    const { page } = suite
    await page.setViewportSize({ width: 390, height: 844 })
    await suite.visit('/logs', 'Logs')
    const rare = page.getByLabel('Metadata')
    expect(await rare.isVisible()).to.equal(false)
    await page.getByRole('button', { name: 'More filters' }).click()
    await rare.waitFor({ state: 'visible' })
    await rare.fill('{"team": "a"}')
    await rare.press('Enter')
    await page.waitForURL(/metadata=/)
    await page.reload()
    await settled(page, 'Logs')
    expect(await rare.isVisible(), 'a filter that is in use').to.equal(true)
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await page.getByRole('button', { name: 'Fewer filters' }).isVisible()).to.equal(false)
  })

  for (const width of [390, 1024]) {
    it(`shows the numbers of a heat map without sideways scrolling at ${width} px`, async () => {
      const { page } = suite
      await page.setViewportSize({ width, height: 900 })
      await suite.visit('/analytics?graph=latency/heatmap&range=24h', 'Analytics')
      await page.getByText('Table of Latency heat map').first().click()
      const numbers = page.getByRole('region', { name: 'Latency heat map: numbers' })
      await numbers.waitFor()
      expect(
        await numbers.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      ).to.be.at.most(0)
      expect(await numbers.getByRole('row').count()).to.be.greaterThan(1)
    })
  }

  for (const width of [390, 1024, 1440]) {
    it(`writes the times of a chart at equal distances at ${width} px`, async () => {
      const { page } = suite
      await page.setViewportSize({ width, height: 900 })
      await suite.visit('/analytics', 'Analytics')
      await page.getByRole('figure', { name: 'Requests' }).waitFor()
      const { texts, isInside, areApart } = (await page.evaluate(axisOf)) as Axis
      const days = texts.map((text) => Date.parse(`${text}, 2024 UTC`) / 86_400_000)
      const distances = days.slice(1).map((day, index) => day - (days[index] ?? 0))
      expect(texts.length).to.be.at.least(2)
      expect(isInside, texts.join()).to.equal(true)
      expect(areApart, texts.join()).to.equal(true)
      // A change of year makes one of the distances different.
      expect(new Set(distances.filter((distance) => distance > 0)).size, texts.join()).to.be.at.most(1)
    })
  }
})
