//! The two ends of the path, and which of them each flow sends from.
//!
//! A link carries packets that come from one host. If all flows agree on that, links have a side each; otherwise all
//! senders are on the same host.

use crate::Network;

/// Hosts of senders, and sides of links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    /// Host, 0 or 1, that each flow's sender is on; its receiver is on the other.
    pub senders: Vec<usize>,
    /// Host that each link's packets come from; none if a link carries packets of both.
    pub links: Option<Vec<usize>>,
}

impl Sides {
    /// Those of a network.
    #[must_use]
    pub fn of(network: &Network) -> Self {
        let mut related: Vec<Vec<(usize, bool)>> = vec![Vec::new(); network.links.len()];
        let mut relate = |a: u32, b: u32, opposite: bool| {
            related[a as usize].push((b as usize, opposite));
            related[b as usize].push((a as usize, opposite));
        };
        for flow in &network.flows {
            let first = flow.data[0];
            flow.data.iter().for_each(|l| relate(first, *l, false));
            flow.ack.iter().for_each(|l| relate(first, *l, true));
        }
        for traffic in &network.traffic {
            traffic.path.iter().for_each(|l| relate(traffic.path[0], *l, false));
        }
        let links = coloured(&related);
        let host = |f: &crate::network::Flow| links.as_ref().map_or(0, |host| host[f.data[0] as usize]);
        Self { senders: network.flows.iter().map(host).collect(), links }
    }
}

/// A colour, 0 or 1, for each place, so that related places have equal or opposite colours as they must.
fn coloured(related: &[Vec<(usize, bool)>]) -> Option<Vec<usize>> {
    let mut colour: Vec<Option<usize>> = vec![None; related.len()];
    for start in 0..related.len() {
        if colour[start].is_some() {
            continue;
        }
        colour[start] = Some(0);
        let mut reached = vec![start];
        while let Some(at) = reached.pop() {
            let own = colour[at]?;
            for (other, opposite) in &related[at] {
                let wanted = own ^ usize::from(*opposite);
                match colour[*other] {
                    None => {
                        colour[*other] = Some(wanted);
                        reached.push(*other);
                    }
                    Some(found) if found != wanted => return None,
                    Some(_) => {}
                }
            }
        }
    }
    colour.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::coloured;

    #[test]
    fn opposite_directions_have_different_colours() {
        // 0 and 1 are the links of one direction, 2 of the other
        let related = [vec![(1, false), (2, true)], vec![(0, false)], vec![(0, true)]];
        assert_eq!(coloured(&related), Some(vec![0, 0, 1]));
    }

    #[test]
    fn a_link_that_carries_both_directions_has_no_colour() {
        assert_eq!(coloured(&[vec![(0, true)]]), None);
    }
}
