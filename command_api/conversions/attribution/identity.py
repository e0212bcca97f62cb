"""To which conversion a report belongs. Pure.

A report names its sale by a transaction id (`schemas.identity`). A network's own account of a sale may know it by
another id than the shop or a postback: it names the shop's order id, too. Both are the same sale where a report called
it so and nothing that both name contradicts that: partner, click, amount.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from command_api.conversions.attribution.facts import Facts
from command_api.conversions.model import Conversion
from infra.domain.conversion_identity import candidates, chosen
from infra.domain.report_merging import split_network_sale
from schemas.identity import conversion_id
from schemas.network_sales import NetworkSale
from schemas.tracking import NO_ID, ConversionReported


def identified(report: ConversionReported, facts: Facts) -> UUID:
    """The recorded conversion that the report belongs to, else the id of a new one. Raises `AmbiguousTxid`."""
    if report.network_sale is not None:
        return _of_network(report, report.network_sale, facts)
    possible = candidates(report)
    recorded = None
    if possible.are_several:
        recorded = chosen(
            report,
            possible,
            lambda conversion_id: facts.conversion(conversion_id) is not None,
            lambda conversion_id, click_id: _names_click(facts.conversion(conversion_id), click_id),
            lambda: facts.sales_of_clicks(possible.shared_id),
        )
    if recorded is not None:
        return recorded
    if facts.conversion(report.conversion_id) is not None:
        return report.conversion_id
    return _named_by_network(report, facts) or report.conversion_id


def names_asked(report: ConversionReported) -> set[str]:
    """The names by which the sale of the report may be known."""
    names = {report.txid, str(report.conversion_id)}
    if report.network_sale is not None:
        names.add(report.network_sale.order_ref)
    return names - {""}


def _of_network(report: ConversionReported, sale: NetworkSale, facts: Facts) -> UUID:
    """The conversion of a network's account: the one that it stated before, else one that is the same sale."""
    known = _states(facts, report.website_id, (sale.txid, str(report.conversion_id)))
    for state in known:
        if _is_stated_by(state, sale):
            return state.id
    for state in known:
        if _stated_by(state) is None and _contradicts(report, state) is not True:
            return state.id
    for state in _states(facts, report.website_id, (sale.order_ref,)):
        if _stated_by(state) is None and _contradicts(report, state) is False:
            return state.id
    if all(state.id != report.conversion_id for state in known):
        return report.conversion_id
    return conversion_id(report.website_id, report.event, report.txid, apart=f"network {sale.network}")


def _named_by_network(report: ConversionReported, facts: Facts) -> UUID | None:
    """The sale that only a network has stated so far, and that is the report's; or the one that took such a report."""
    for state in _states(facts, report.website_id, (str(report.conversion_id),)):
        return state.id
    for state in _states(facts, report.website_id, (report.txid,)):
        stated, others = split_network_sale(state.reports)
        if stated is None or others or stated.network_sale is None:
            continue
        contradicts = _contradicts(report, state)
        if contradicts is False or (contradicts is None and stated.network_sale.txid == report.txid):
            return state.id
    return None


def _states(facts: Facts, website_id: UUID, names: Iterable[str]) -> list[Conversion]:
    ids = dict.fromkeys(one for name in names if name for one in facts.sales_named(website_id, name))
    return [state for one in ids if (state := facts.conversion(one)) is not None]


def _stated_by(state: Conversion) -> NetworkSale | None:
    stated, _ = split_network_sale(state.reports)
    return stated.network_sale if stated is not None else None


def _is_stated_by(state: Conversion, sale: NetworkSale) -> bool:
    held = _stated_by(state)
    return held is not None and (held.network, held.txid) == (sale.network, sale.txid)


def _contradicts(report: ConversionReported, state: Conversion) -> bool | None:
    """Returns whether what both name differs; `None`: they name nothing in common."""
    attribution = state.facts.attribution
    partners = {each.partner_id for each in state.reports if each.partner_id is not None}
    if attribution is not None:
        partners = {attribution.partner_id}
    if report.partner_id != NO_ID and partners:
        return report.partner_id not in partners
    if report.click_id and any(each.click_id for each in state.reports):
        return not _names_click(state, report.click_id)
    amount = state.facts.amount
    if report.amount is not None and amount.amount:
        return (report.amount.amount, report.amount.currency) != (amount.amount, amount.currency)
    return None


def _names_click(state: Conversion | None, click_id: str) -> bool:
    """Returns whether the conversion has the click, or a report of it names it."""
    if state is None:
        return False
    attribution = state.facts.attribution
    earned = attribution.click_id if attribution is not None else None
    return earned == click_id or any(each.click_id == click_id for each in state.reports)
