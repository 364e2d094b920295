/** A placeholder while a page's content is loading. For screen readers, `aria-busy` says so. */
export const Skeleton = () => (
  <div class="skeleton" aria-hidden="true">
    {Array.from({ length: 9 }, (_, index) => (
      <div key={index} />
    ))}
  </div>
)
